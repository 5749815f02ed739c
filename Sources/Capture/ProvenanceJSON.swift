internal import CanonicalJSON
internal import Manifest
internal import Recording

/// Sources and devices as they stand in preimages: the objects `source` and `device` of `Spec/items.md`, and the
/// preimage of a device hash.
enum ProvenanceJSON {
    static func text(of source: CapturePage.Source) -> [UInt8] {
        object([
            ("bundle_identifier", source.bundleIdentifier), ("operating_system_version", source.operatingSystemVersion),
            ("product_type", source.productType),
            ("source_name_hash", hex(source.nameHash)), ("version", source.version),
        ])
    }

    static func text(of device: CapturePage.Device) -> [UInt8] {
        object([
            ("device_hash", hex(device.hash)), ("firmware_version", device.firmwareVersion),
            ("hardware_version", device.hardwareVersion),
            ("local_identifier_hash", hex(device.localIdentifierHash)),
            ("manufacturer_hash", hex(device.manufacturerHash)), ("model", device.model),
            ("software_version", device.softwareVersion), ("udi_hash", hex(device.udiHash)),
        ])
    }

    static func preimage(of device: DeviceDescription) -> [UInt8] {
        object([
            ("firmware_version", device.firmwareVersion), ("hardware_version", device.hardwareVersion),
            ("local_identifier", device.localIdentifier),
            ("manufacturer", device.manufacturer), ("model", device.model), ("name", device.name),
            ("other", device.other), ("software_version", device.softwareVersion), ("udi", device.udi),
        ])
    }

    private static func hex(_ digest: Digest?) -> [UInt8]? { digest.map { Array($0.hex.utf8) } }

    private static func object(_ members: [(Key, [UInt8]?)]) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        for (key, value) in members {
            guard let value else { continue }
            json.key(key)
            try? json.string(value.span)
        }
        json.endObject()
        return json.bytes
    }
}
