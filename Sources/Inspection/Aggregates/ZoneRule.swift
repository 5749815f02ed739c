/// The rule of a zone after the last change that its file lists: a POSIX `TZ` text, such as
/// `EET-2EEST,M3.5.0/3,M10.5.0/4`.
///
/// The moments of a year are computed when they are asked for; no table is kept. Written apart from what captures reads
/// zones with, on purpose.
struct ZoneRule {
    /// Seconds east of UTC.
    let standard: Int64
    /// Summer time: its offset, and the days on which it begins and ends.
    private let summer: (offset: Int64, begin: YearDay, end: YearDay)?

    /// The last year whose changes are followed.
    static let lastYear: Int64 = 2200
    /// The first one, where the file has no change at all.
    static let firstYear: Int64 = 1900

    /// Whether the offset never changes.
    var isFixed: Bool { summer == nil }

    /// A day of any year and a local time after its midnight.
    private struct YearDay {
        enum Kind { case withoutLeapDay, fromZero, weekdayOfMonth }
        let kind: Kind
        /// Number of the day; or month, week and weekday.
        let numbers: [Int64]
        let time: Int64
    }

    /// Reads a rule; nil where the text is none.
    init?(_ text: [UInt8]) {
        var rest = text[...]
        guard Self.name(&rest), let west = Self.time(&rest) else { return nil }
        standard = -west
        if rest.isEmpty {
            summer = nil
            return
        }
        guard Self.name(&rest) else { return nil }
        var offset = standard + 3600
        if rest.first != UInt8(ascii: ",") {
            guard let west = Self.time(&rest) else { return nil }
            offset = -west
        }
        guard let begin = Self.yearDay(&rest), let end = Self.yearDay(&rest), rest.isEmpty else { return nil }
        summer = (offset, begin, end)
    }

    /// The changes of a year: from which moment on which offset.
    func changes(in year: Int64) -> [(moment: Int64, offset: Int64)] {
        guard let summer, Self.firstYear...Self.lastYear ~= year else { return [] }
        let begin = Self.local(summer.begin, year) - standard
        let end = Self.local(summer.end, year) - summer.offset
        return begin <= end ? [(begin, summer.offset), (end, standard)] : [(end, standard), (begin, summer.offset)]
    }

    // MARK: The calendar

    /// Days from 1970-01-01 to the first day of a year.
    static func firstDay(of year: Int64) -> Int64 {
        let before = year - 1
        return 365 * (year - 1970) + before / 4 - before / 100 + before / 400 - 477
    }

    /// The year in which a moment lies, in UTC; years before 1 are not told apart.
    static func year(of moment: Int64) -> Int64 {
        let day = moment >= 0 ? moment / 86_400 : (moment - 86_399) / 86_400
        guard day > firstDay(of: 1) else { return 0 }
        var year = 1970 + day / 366
        if day < 0 { year = max(1, 1970 + day / 365 - 1) }
        while firstDay(of: year + 1) <= day { year += 1 }
        while firstDay(of: year) > day { year -= 1 }
        return year
    }

    private static func lengths(of year: Int64) -> [Int64] {
        let isLeap = firstDay(of: year + 1) - firstDay(of: year) == 366
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    /// Local seconds since 1970.
    private static func local(_ day: YearDay, _ year: Int64) -> Int64 {
        let first = firstDay(of: year), lengths = lengths(of: year), numbers = day.numbers
        let date: Int64
        switch day.kind {
        case .fromZero: date = first + numbers[0]
        case .withoutLeapDay: date = first + numbers[0] - 1 + (numbers[0] > 59 ? lengths[1] - 28 : 0)
        case .weekdayOfMonth:
            let month = Int(numbers[0])
            let start = first + lengths[..<(month - 1)].reduce(0, +)
            // All days of the month with that weekday; 1970-01-01 was a Thursday, which is day 4.
            let days = (start..<start + lengths[month - 1]).filter { (($0 + 4) % 7 + 7) % 7 == numbers[2] }
            date = days[min(Int(numbers[1]), days.count) - 1]
        }
        return 86_400 * date + day.time
    }

    // MARK: Text

    private static func name(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let before = rest.count
        rest = rest.drop { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
        return before - rest.count >= 3
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        rest = rest.dropFirst(digits.count)
        return digits.count <= 3 ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    }

    /// `[+-]hh[:mm[:ss]]`, in seconds.
    private static func time(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard let hours = number(&rest), hours <= 167 else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] as [Int64] where rest.first == UInt8(ascii: ":") {
            rest.removeFirst()
            guard let value = number(&rest), value < 60 else { return nil }
            seconds += value * unit
        }
        return sign * seconds
    }

    /// `,Jn`, `,n` or `,Mm.w.d`, each perhaps with `/time`; the time is 02:00 where there is none.
    private static func yearDay(_ rest: inout ArraySlice<UInt8>) -> YearDay? {
        guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
        var kind = YearDay.Kind.fromZero
        var ranges: [ClosedRange<Int64>] = [0...365]
        if rest.first == UInt8(ascii: "J") { (kind, ranges) = (.withoutLeapDay, [1...365]) }
        if rest.first == UInt8(ascii: "M") { (kind, ranges) = (.weekdayOfMonth, [1...12, 1...5, 0...6]) }
        if kind != .fromZero { rest.removeFirst() }
        var numbers: [Int64] = []
        for range in ranges {
            if !numbers.isEmpty, rest.popFirst() != UInt8(ascii: ".") { return nil }
            guard let value = number(&rest), range ~= value else { return nil }
            numbers.append(value)
        }
        guard rest.first == UInt8(ascii: "/") else { return YearDay(kind: kind, numbers: numbers, time: 7200) }
        rest.removeFirst()
        return time(&rest).map { YearDay(kind: kind, numbers: numbers, time: $0) }
    }
}
