internal import Manifest
public import Recording

/// A page whose samples have no hashes yet, with what these are made of.
///
/// Hashing is a good part of the work of reading a source, and needs nothing but the page: so it is done beside the
/// reading of the next one.
public struct PageDraft: Sendable {
    /// A record, with its place among the texts of the page.
    struct Record: Sendable {
        let record: CapturedRecord
        let valueKind: Int
        let uuidHash: Digest?
    }

    /// A record that belongs to another of the page.
    struct Member: Sendable {
        let parent: Int
        let record: Record
        let kind: Int
    }

    /// All but the samples and the members.
    let page: CapturePage
    let records: [Record]
    let members: [Member]
    /// The facts about the page's types, texts, sources and devices, in their order.
    let types: [TypeFacts]
    let units: [UnitFacts]
    let sources: [SourceFacts]
    let devices: [[UInt8]]
}

/// Computes the hashes of pages, one after the other, beside whoever makes them.
public actor PageHasher {
    private var samples = SampleHasher()

    /// A hasher.
    public init() {}

    /// Returns the page of a draft.
    public func page(_ draft: PageDraft) -> CapturePage { samples.page(draft) }
}
