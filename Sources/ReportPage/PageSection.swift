/// The sections of a page, in their order; the names are their anchors.
enum PageSection: String {
    case gone, replaced, changed, sources, unknown, earlier, links
    case evidence
    case numbers, observations, limits, types, calendars, months, windows, records, findings, coverage, chain, log
    case check, words
    case gaps, nights, notStored = "not-stored", years

    /// The sections in the list of contents of the evidence.
    static let ofEvidence: [PageSection] = [
        .numbers, .observations, .limits, .types, .calendars, .months, .windows, .records, .findings, .coverage, .chain,
        .log,
    ]
}
