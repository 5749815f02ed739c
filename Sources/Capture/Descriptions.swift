/// A source as it names itself. The name leaves this value only as an HMAC.
public struct SourceDescription: Sendable {
    public var name: [UInt8]?
    public var bundleIdentifier: [UInt8]?
    public var productType: [UInt8]?
    public var version: [UInt8]?
    /// `0.0.0` is the same as absent.
    public var operatingSystemVersion: [UInt8]?

    /// A source of which nothing is known.
    public init() {}
}

/// A device as a source describes it. Name, manufacturer, local identifier and UDI leave this value only as HMACs.
public struct DeviceDescription: Sendable {
    public var name: [UInt8]?
    public var manufacturer: [UInt8]?
    public var model: [UInt8]?
    public var hardwareVersion: [UInt8]?
    public var firmwareVersion: [UInt8]?
    public var softwareVersion: [UInt8]?
    public var localIdentifier: [UInt8]?
    public var udi: [UInt8]?
    /// The rest of the description, beyond the named fields.
    public var other: [UInt8]?

    /// A device of which nothing is known.
    public init() {}
}
