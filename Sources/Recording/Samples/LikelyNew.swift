/// Whether the records to come are likely to be of samples that the archive does not have: those of the pages before
/// were.
///
/// Such records are not looked up. They are written, and the index of fingerprints says on the way which were there.
/// Where the index is larger than the cache, looking up first would read each of its pages twice.
struct LikelyNew {
    /// How many pages without a known sample are enough.
    static let leastPages = 4

    private var pages = 0

    var holds: Bool { pages >= Self.leastPages }

    /// Notes how many samples of a page were in the archive.
    mutating func note(known: Int) { pages = known == 0 ? pages + 1 : 0 }
}
