internal import Preimages
internal import Recording

/// Sources and devices as they stand in preimages: the objects `source` and `device` of `Spec/items.md`, and the
/// preimage of a device hash.
enum ProvenanceJSON {
    static func text(of source: CapturePage.Source) -> [UInt8] {
        ProvenancePreimage.source(
            bundleIdentifier: source.bundleIdentifier, operatingSystemVersion: source.operatingSystemVersion,
            productType: source.productType, nameHash: hex(source.nameHash), version: source.version)
    }

    static func text(of device: CapturePage.Device) -> [UInt8] {
        ProvenancePreimage.device(
            hash: hex(device.hash), firmwareVersion: device.firmwareVersion, hardwareVersion: device.hardwareVersion,
            localIdentifierHash: hex(device.localIdentifierHash), manufacturerHash: hex(device.manufacturerHash),
            model: device.model, softwareVersion: device.softwareVersion, udiHash: hex(device.udiHash))
    }

    static func preimage(of device: DeviceDescription) -> [UInt8] {
        ProvenancePreimage.deviceDescription(
            firmwareVersion: device.firmwareVersion, hardwareVersion: device.hardwareVersion,
            localIdentifier: device.localIdentifier, manufacturer: device.manufacturer, model: device.model,
            name: device.name, other: device.other, softwareVersion: device.softwareVersion, udi: device.udi)
    }

    private static func hex(_ digest: Digest?) -> [UInt8]? { digest.map { Array($0.hex.utf8) } }
}
