internal import Answer
internal import Archive
internal import Changes
internal import Days

/// The items of the reports whose items come from no row.
enum ReportDocuments {
    /// Calls `take` with the items of a summary, of findings or of pairs, in order.
    ///
    /// - Returns: the answer of a page; `nil` for another report.
    @discardableResult static func write(
        _ kind: ExportKind, of archive: borrowing Archive, _ scope: Scope, _ context: ExportContext,
        _ thresholds: [Threshold: Double]?, take: (Document) throws -> Void
    ) throws -> Answer? {
        let types = TypeNames(context.types)
        switch kind {
        case .pageReport:
            let pairs = try archive.pairDays(of: scope, in: context)
            var items = PageItems()
            var all: Comparison?
            let isOfOne = scope.fromObservationID == scope.observationID
            var days = isOfOne ? try RecordDays(of: archive, scope) : nil
            func add(_ comparison: Comparison) {
                days?.add(comparison)
                if case .allTypes = comparison.subject { return all = comparison }
                items.add(comparison, ComparisonWriter.document(comparison, types, days: &days))
            }
            var answer: Answer?
            // Of a comparison with a newer observation, or with the same one, nothing can be missing.
            if let from = scope.fromObservationID, from < scope.observationID {
                var found = try archive.answer(
                    of: scope, in: context, thresholds: thresholds ?? [:], pairs: pairs, each: add)
                try archive.addOverlaps(to: &found, of: scope)
                answer = found
            } else {
                var comparisons = try archive.comparisons(
                    of: scope, in: context, thresholds: thresholds ?? [:], pairs: pairs)
                while let comparison = try comparisons.next() { add(comparison) }
            }
            if let all { try take(ComparisonWriter.document(all, types, answer: answer, days: &days)) }
            for document in items.finish() { try take(document) }
            return answer
        case .diffSummary:
            var comparisons = try archive.comparisons(of: scope, in: context, thresholds: thresholds ?? [:])
            var days: RecordDays?
            while let comparison = try comparisons.next() {
                try take(ComparisonWriter.document(comparison, types, days: &days))
            }
        case .pairReport:
            var pairs = try archive.pairs(of: scope, in: context)
            while let pair = try pairs.next() { try take(PairWriter.document(pair, types)) }
        default:
            var findings = try archive.findings(of: scope, in: context, thresholds: thresholds ?? [:])
            while let finding = try findings.next() { try take(FindingWriter.document(finding, types)) }
        }
        return nil
    }

    /// Documents of days that are handed on together.
    private static let daysTogether = 1024

    /// Calls `take` with the items of a day report, some at a time, in order.
    static func writeDays(
        of archive: borrowing Archive, _ scope: Scope, _ context: ExportContext, _ question: DayQuestion?,
        take: ([Document]) throws -> Void
    ) throws {
        guard let question else { preconditionFailure("a day report has a question about days") }
        let types = TypeNames(context.types)
        var documents: [Document] = []
        try archive.days(of: scope, in: context, question) { item in
            documents.append(DayWriter.document(item, types))
            guard documents.count == daysTogether else { return }
            try take(documents)
            documents.removeAll(keepingCapacity: true)
        }
        if !documents.isEmpty { try take(documents) }
    }
}
