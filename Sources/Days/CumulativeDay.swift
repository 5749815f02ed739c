internal import Measures

/// The sum of one cumulative type's records on one day (`Spec/days.md`, "Methods").
struct CumulativeDay {
    /// The part of a record that is in the day.
    private struct Piece {
        let amount: Int64
        /// When the record begins, and how long it lasts.
        let recordStart, length: Int64
        let interval: Interval

        /// Returns the amount in a stretch that lies within it; all of it for a record without a length.
        func share(of part: Interval) -> Int64 {
            guard length > 0 else { return amount }
            func until(_ moment: Int64) -> Int64 {
                DecimalAmount.share(of: amount, after: moment - recordStart, of: length)
            }
            return until(part.end) - until(part.start)
        }
    }

    /// The records of one source.
    private struct Group {
        var standing: SourceStanding
        var recordCount = 0
        var notSummed = 0
        var otherZone = 0
        var pieces: [Piece] = []
        var union: [Interval] = []
        var overlap: Int64 = 0
        var sum: Int128 = 0
        var kept: Int128 = 0

        var sums: DayCell.Sums? { pieces.isEmpty ? nil : DayCell.Sums(kept: kept, dropped: sum - kept) }
    }

    private let day: DayCalendar.Day
    /// By rank, once all records are there.
    private var groups: [Group] = []
    private var places: [Int: Int] = [:]

    init(_ day: DayCalendar.Day) { self.day = day }

    /// Adds a record that has a part of the day; records come in the order of their starts.
    mutating func add(_ record: DayRecord) {
        guard let start = record.start else { return }
        let place = places[record.source] ?? groups.count
        if place == groups.count {
            groups.append(Group(standing: SourceStanding(record.source)))
            places[record.source] = place
        }
        let isSummed = record.amount != nil && !record.isLong
        groups[place].standing.add(record.maker)
        if start >= day.start {
            groups[place].standing.started += 1
            groups[place].recordCount += 1
            if record.isOfOtherZone { groups[place].otherZone += 1 }
            if !isSummed { groups[place].notSummed += 1 }
        }
        guard isSummed, let amount = record.amount else { return }
        let piece = Piece(
            amount: amount, recordStart: start, length: record.length,
            interval: Interval(start: max(start, day.start), end: min(record.end, day.end)))
        groups[place].pieces.append(piece)
        groups[place].sum += Int128(piece.share(of: piece.interval))
    }

    /// Returns the items of the day.
    mutating func finish(_ method: DayQuestion.Method, _ ranking: SourceRanking) -> [DayCell] {
        for index in groups.indices {
            let intervals = groups[index].pieces.map(\.interval)
            groups[index].union = intervals.union
            groups[index].overlap = intervals.doubled
            groups[index].standing.covered = groups[index].union.length
        }
        groups.sort { ranking.precedes($0.standing, $1.standing) }
        keep(method)
        guard method == .sources else {
            let spans = groups.flatMap(\.union).sorted { $0.start < $1.start }
            return [cell(DayCell.Key(measure: .cumulative), groups.indices, shared: spans.doubled)]
        }
        return groups.indices.map { index in
            var others: [Interval] = []
            for (other, group) in groups.enumerated() where other != index { others += group.union }
            let shared = groups[index].union.commonLength(with: others.sorted { $0.start < $1.start }.union)
            let key = DayCell.Key(measure: .cumulative, source: groups[index].standing.source)
            return cell(key, index..<index + 1, shared: shared)
        }
    }

    private func cell(_ key: DayCell.Key, _ places: Range<Int>, shared: Int64) -> DayCell {
        var cell = DayCell(key)
        cell.shared = shared
        for place in places {
            let group = groups[place]
            cell.recordCount += group.recordCount
            cell.notSummed += group.notSummed
            cell.otherZone += group.otherZone
            cell.overlap += group.overlap
            if let sums = group.sums {
                var all = cell.sums ?? DayCell.Sums()
                all.add(sums)
                cell.sums = all
            }
            cell.entries[group.standing.source] = DayCell.Entry(
                recordCount: group.recordCount, sourceClass: group.standing.sourceClass, rank: place + 1,
                sums: group.sums, covered: group.standing.covered)
        }
        return cell
    }

    /// Decides what is kept of each source.
    private mutating func keep(_ method: DayQuestion.Method) {
        switch method {
        case .sources: for index in groups.indices { groups[index].kept = groups[index].sum }
        case .greatest:
            let summed = groups.indices.filter { !groups[$0].pieces.isEmpty }
            // Of equal sums the first by rank.
            guard let best = summed.min(by: { groups[$0].sum > groups[$1].sum }) else { return }
            groups[best].kept = groups[best].sum
        case .cover: cover()
        }
    }

    /// Keeps of each source what no source before it covers.
    private mutating func cover() {
        var covered: [Interval] = []
        var instants: Set<Int64> = []
        for index in groups.indices {
            var own: Set<Int64> = []
            for piece in groups[index].pieces {
                guard piece.length == 0 else {
                    var kept: Int128 = 0
                    covered.forEachGap(in: piece.interval) { kept += Int128(piece.share(of: $0)) }
                    groups[index].kept += kept
                    continue
                }
                let moment = piece.interval.start
                own.insert(moment)
                let next = covered.firstIndex(endingAfter: moment)
                let isCovered = instants.contains(moment) || (next < covered.count && covered[next].start <= moment)
                if !isCovered { groups[index].kept += Int128(piece.amount) }
            }
            if index + 1 < groups.count { covered = covered.merged(with: groups[index].union).union }
            instants.formUnion(own)
        }
    }
}
