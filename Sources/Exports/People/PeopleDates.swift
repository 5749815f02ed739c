internal import Timestamps

/// The dates of a row in local time, and how far that is from UTC.
struct PeopleDates {
    private(set) var start, end: String?
    /// `UTC+02:00`; where start and end are not alike, both.
    private(set) var name: String?

    init(_ rules: TimeZoneRules, _ start: Double?, _ end: Double?) {
        let places = [start, end].map { moment in moment.map { Self.local($0, rules) } }
        (self.start, self.end) = (places[0]?.text, places[1]?.text)
        let names = places.compactMap { $0?.offset }.map(TimeZoneRules.name(ofOffset:))
        name = names.first == names.last ? names.first : names.joined(separator: " to ")
    }

    /// Returns the local time without the fraction of a second; in UTC if the local date is not in the years 1 to 9999.
    private static func local(_ moment: Double, _ rules: TimeZoneRules) -> (text: String?, offset: Int64) {
        let seconds = moment.rounded(.down)
        let offset = rules.offset(at: Int64(seconds))
        if let text = text(seconds + Double(offset)) { return (text, offset) }
        return (text(seconds), 0)
    }

    /// Returns a time as `2024-03-31 02:30:00`.
    private static func text(_ seconds: Double) -> String? {
        guard let text = try? TimestampText(seconds).string else { return nil }
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }
}
