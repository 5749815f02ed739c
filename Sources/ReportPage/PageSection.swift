/// The sections of a page, in their order; the names are their anchors.
enum PageSection: String, CaseIterable {
    case gone, replaced, changed, unknown, others
    case numbers, observations, check, limits, types, calendars, months, windows, records, findings, coverage, chain
    case log, words
}
