internal import CanonicalJSON

/// Sources and devices as they stand in preimages: the objects `source` and `device` of `Spec/items.md`, and the
/// preimage of a device hash (`Spec/identity.md`). Texts are UTF-8; a text that is nil is no member.
public enum ProvenancePreimage {
    /// Returns the object `source`; what is not UTF-8 is left out.
    public static func source(
        bundleIdentifier: [UInt8]?, operatingSystemVersion: [UInt8]?, productType: [UInt8]?, nameHash: [UInt8]?,
        version: [UInt8]?
    ) -> [UInt8] {
        object([
            ("bundle_identifier", bundleIdentifier), ("operating_system_version", operatingSystemVersion),
            ("product_type", productType), ("source_name_hash", nameHash), ("version", version),
        ])
    }

    /// Returns the object `device`: members in the order of `Spec/items.md`.
    public static func device(
        hash: [UInt8]?, firmwareVersion: [UInt8]?, hardwareVersion: [UInt8]?, localIdentifierHash: [UInt8]?,
        manufacturerHash: [UInt8]?, model: [UInt8]?, softwareVersion: [UInt8]?, udiHash: [UInt8]?
    ) -> [UInt8] {
        object([
            ("device_hash", hash), ("firmware_version", firmwareVersion), ("hardware_version", hardwareVersion),
            ("local_identifier_hash", localIdentifierHash), ("manufacturer_hash", manufacturerHash),
            ("model", model), ("software_version", softwareVersion), ("udi_hash", udiHash),
        ])
    }

    /// Returns a source's description of a device, in clear: the preimage of its private hash.
    public static func deviceDescription(
        firmwareVersion: [UInt8]?, hardwareVersion: [UInt8]?, localIdentifier: [UInt8]?, manufacturer: [UInt8]?,
        model: [UInt8]?, name: [UInt8]?, other: [UInt8]?, softwareVersion: [UInt8]?, udi: [UInt8]?
    ) -> [UInt8] {
        object([
            ("firmware_version", firmwareVersion), ("hardware_version", hardwareVersion),
            ("local_identifier", localIdentifier), ("manufacturer", manufacturer), ("model", model), ("name", name),
            ("other", other), ("software_version", softwareVersion), ("udi", udi),
        ])
    }

    /// Returns a sample of which only its deletion is known: the preimage of its strict fingerprint.
    public static func unseenSample(type: [UInt8], uuidHash: [UInt8]) -> [UInt8] {
        object([("sample_type", type), ("sample_uuid_hash", uuidHash)])
    }

    private static func object(_ members: [(Key, [UInt8]?)]) -> [UInt8] {
        var object = PreimageObject()
        object.begin()
        for (key, value) in members { object.put(key, text: value) }
        return object.end()
    }
}
