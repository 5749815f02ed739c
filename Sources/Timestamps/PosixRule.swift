/// The rule in the footer of a TZif file: the POSIX `TZ` text with the extension of RFC 9636 (hours from −167 to 167).
///
///     EET-2EEST,M3.5.0/3,M10.5.0/4      standard name and offset, summer name, from, to
struct PosixRule {
    /// Seconds east of UTC.
    let standard: Int64
    private let summer: (offset: Int64, from: Day, to: Day)?

    private enum Date {
        /// `Jn`: day 1 to 365, a leap day is never counted.
        case julian(Int)
        /// `n`: day 0 to 365.
        case ordinal(Int)
        /// `Mm.w.d`: weekday d of week w of month m; week 5 is the last.
        case weekday(month: Int, week: Int, day: Int)
    }

    private struct Day {
        let date: Date
        /// Local seconds after midnight.
        let time: Int64
    }

    /// `true` if it has no summer time.
    var isFixed: Bool { summer == nil }

    /// Reads a rule; nil where the text is none.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = Scanner(text)
        guard rest.skipName(), let west = rest.clock() else { return nil }
        standard = -west
        guard !rest.isAtEnd else {
            summer = nil
            return
        }
        guard rest.skipName() else { return nil }
        var offset = standard + 3600
        if rest.next != UInt8(ascii: ",") {
            guard let west = rest.clock() else { return nil }
            offset = -west
        }
        guard rest.skip(UInt8(ascii: ",")), let from = rest.day(), rest.skip(UInt8(ascii: ",")), let to = rest.day(),
            rest.isAtEnd
        else {
            return nil
        }
        summer = (offset, from, to)
    }

    /// Returns the times when the offset changes, in order.
    func transitions(years: ClosedRange<Int>) -> [TimeZoneRules.Period] {
        guard let summer else { return [] }
        var found: [TimeZoneRules.Period] = []
        for year in years {
            found.append(TimeZoneRules.Period(start: Self.moment(summer.from, year) - standard, offset: summer.offset))
            found.append(TimeZoneRules.Period(start: Self.moment(summer.to, year) - summer.offset, offset: standard))
        }
        return found.sorted { $0.start < $1.start }
    }

    /// Returns the local seconds since 1970 of a day of a year.
    private static func moment(_ day: Day, _ year: Int) -> Int64 {
        func days(_ month: Int, _ day: Int) -> Int64 { Calendar.days(year: year, month: month, day: day) ?? 0 }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let date: Int64
        switch day.date {
        case .julian(let number): date = days(1, 1) + Int64(number - 1) + (isLeap && number >= 60 ? 1 : 0)
        case .ordinal(let number): date = days(1, 1) + Int64(number)
        case .weekday(let month, let week, let weekday):
            let first = days(month, 1)
            let next = month == 12 ? first + 31 : days(month + 1, 1)
            // 1970-01-01 was a Thursday.
            let firstWeekday = Int(((first + 4) % 7 + 7) % 7)
            var found = first + Int64((weekday - firstWeekday + 7) % 7 + 7 * (week - 1))
            while found >= next { found -= 7 }
            date = found
        }
        return date * 86_400 + day.time
    }

    private struct Scanner {
        private var rest: ArraySlice<UInt8>

        init(_ text: ArraySlice<UInt8>) { rest = text }

        var isAtEnd: Bool { rest.isEmpty }
        var next: UInt8? { rest.first }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        /// Letters, or anything between `<` and `>`.
        mutating func skipName() -> Bool {
            if skip(UInt8(ascii: "<")) {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[(end + 1)...]
                return true
            }
            let name = rest.prefix {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
            rest = rest.dropFirst(name.count)
            return name.count >= 3
        }

        mutating func number() -> Int? {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...3).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }

        /// Reads `[+-]hh[:mm[:ss]]` in seconds.
        mutating func clock() -> Int64? {
            let isNegative = rest.first == UInt8(ascii: "-")
            if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] where rest.first == UInt8(ascii: ":") {
                rest.removeFirst()
                guard let value = number(), value < 60 else { return nil }
                seconds += value * unit
            }
            return Int64(isNegative ? -seconds : seconds)
        }

        mutating func day() -> Day? {
            let date: Date
            if skip(UInt8(ascii: "J")) {
                guard let number = number(), (1...365).contains(number) else { return nil }
                date = .julian(number)
            } else if skip(UInt8(ascii: "M")) {
                guard let month = number(), skip(UInt8(ascii: ".")), let week = number(), skip(UInt8(ascii: ".")),
                    let day = number(),
                    (1...12).contains(month), (1...5).contains(week), day < 7
                else { return nil }
                date = .weekday(month: month, week: week, day: day)
            } else {
                guard let number = number(), number <= 365 else { return nil }
                date = .ordinal(number)
            }
            guard skip(UInt8(ascii: "/")) else { return Day(date: date, time: 7200) }
            return clock().map { Day(date: date, time: $0) }
        }
    }
}
