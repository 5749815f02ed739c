public import Manifest

/// The content of one transaction of a capture: samples with their hashes, deleted objects, links.
///
/// A page stands alone. Types, texts, sources, devices and metadata are tables of the page, and samples name their
/// rows by index.
///
///     samples ──► types, texts, sources, devices, metadata
///     members, links ──► samples of this page
///     deleted, distantLinks ──► types, and UUID hashes
public struct CapturePage: Sendable {
    /// A source with its revision.
    public struct Source: Sendable {
        public var nameHash: Digest?
        public var bundleIdentifier: [UInt8]?
        public var productType: [UInt8]?
        public var version: [UInt8]?
        public var operatingSystemVersion: [UInt8]?

        /// A source of which nothing is known.
        public init() {}
    }

    /// A device, without anything that identifies it.
    public struct Device: Sendable {
        public var hash: Digest?
        public var manufacturerHash: Digest?
        public var model: [UInt8]?
        public var hardwareVersion: [UInt8]?
        public var firmwareVersion: [UInt8]?
        public var softwareVersion: [UInt8]?
        public var localIdentifierHash: Digest?
        public var udiHash: Digest?

        /// A device of which nothing is known.
        public init() {}
    }

    /// Metadata: canonical JSON, a range of `bytes`.
    public struct Metadata: Sendable {
        public let hash: Digest
        public let json: Range<Int>

        /// Metadata.
        public init(hash: Digest, json: Range<Int>) {
            self.hash = hash
            self.json = json
        }
    }

    /// A sample as it was seen. Indices are into the tables of the page; −1 is absent.
    public struct Sample: Sendable {
        public var type = -1
        public var uuidHash: Digest?
        /// Strict fingerprint of ordinal 0.
        public var fingerprint: Digest
        public var semanticFingerprint: Digest?
        public var payloadHash: Digest
        /// A range of `bytes`.
        public var fuzzyKey: Range<Int>
        /// Unix seconds.
        public var startDate: Double
        /// Unix seconds.
        public var endDate: Double
        /// Into `texts`.
        public var valueKind = -1
        public var numericValue: Double?
        /// Into `texts`.
        public var unit = -1
        public var categoryValue: Int64?
        public var workoutActivityType: Int64?
        public var durationSeconds: Double?
        public var source = -1
        public var device = -1
        public var metadata = -1
        /// `true` if a part of it could not be looked at.
        public var isUnread = false

        /// A sample with its hashes and dates; the rest is absent.
        public init(
            fingerprint: Digest, semanticFingerprint: Digest?, payloadHash: Digest, fuzzyKey: Range<Int>,
            startDate: Double, endDate: Double
        ) {
            self.fingerprint = fingerprint
            self.semanticFingerprint = semanticFingerprint
            self.payloadHash = payloadHash
            self.fuzzyKey = fuzzyKey
            self.startDate = startDate
            self.endDate = endDate
        }
    }

    /// A sample of which the source says that it belongs to another, and that it stands for itself elsewhere
    /// (`Spec/apple-health.md`, "Links").
    public struct Member: Sendable {
        /// Into `samples`.
        public let parent: Int
        public let sample: Sample
        /// Into `texts`: the kind of the relationship.
        public let kind: Int

        /// A member.
        public init(parent: Int, sample: Sample, kind: Int) {
            self.parent = parent
            self.sample = sample
            self.kind = kind
        }
    }

    /// A relationship between two samples of the page.
    public struct Link: Sendable {
        /// Into `samples`.
        public let source: Int
        /// Into `samples`.
        public let target: Int
        /// Into `texts`.
        public let kind: Int

        /// A link.
        public init(source: Int, target: Int, kind: Int) {
            self.source = source
            self.target = target
            self.kind = kind
        }
    }

    /// A sample by its type (an index into `types`) and UUID.
    public struct Reference: Sendable {
        public let type: Int
        public let uuidHash: Digest

        /// A reference.
        public init(type: Int, uuidHash: Digest) {
            self.type = type
            self.uuidHash = uuidHash
        }
    }

    /// A relationship between two samples that may be anywhere.
    public struct DistantLink: Sendable {
        public let source: Reference
        public let target: Reference
        /// Into `texts`.
        public let kind: Int
        /// Into `metadata`, or −1.
        public let metadata: Int

        /// A link.
        public init(source: Reference, target: Reference, kind: Int, metadata: Int) {
            self.source = source
            self.target = target
            self.kind = kind
            self.metadata = metadata
        }
    }

    /// A record that cannot be stored as it is.
    public struct Rejection: Sendable {
        /// Into `types`, or −1 where the type cannot be read.
        public let type: Int
        /// Why, in words of `Spec/capture.md`.
        public let reason: String
        /// The place in the source: `line 12`.
        public let place: String
        /// Unix seconds; nil where it cannot be read.
        public let startDate: Double?
        /// A keyed hash of what was read.
        public let contentHash: Digest

        /// A rejection.
        public init(type: Int, reason: String, place: String, startDate: Double?, contentHash: Digest) {
            self.type = type
            self.reason = reason
            self.place = place
            self.startDate = startDate
            self.contentHash = contentHash
        }
    }

    /// Bytes of metadata and fuzzy keys.
    public var bytes: [UInt8] = []
    /// Type identifiers.
    public var types: [[UInt8]] = []
    /// Units, value kinds, kinds of relationships.
    public var texts: [[UInt8]] = []
    public var sources: [Source] = []
    public var devices: [Device] = []
    public var metadata: [Metadata] = []
    public var samples: [Sample] = []
    public var deleted: [Reference] = []
    public var members: [Member] = []
    public var links: [Link] = []
    public var distantLinks: [DistantLink] = []
    public var rejections: [Rejection] = []

    /// An empty page.
    public init() {}
}
