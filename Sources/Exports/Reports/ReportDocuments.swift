internal import Archive
internal import Changes

/// The items of the reports whose items come from no row.
enum ReportDocuments {
    /// Calls `take` with the items of a summary, of findings or of pairs, in order.
    static func write(
        _ kind: ExportKind, of archive: borrowing Archive, _ scope: Scope, _ context: ExportContext,
        _ thresholds: [Threshold: Double]?, take: (Document) throws -> Void
    ) throws {
        let types = TypeNames(context.types)
        switch kind {
        case .pageReport:
            // Its findings are those of the usual thresholds.
            let counts = try findingCounts(of: archive, scope, context)
            let pairs = try archive.pairDays(of: scope, in: context)
            var comparisons = try archive.comparisons(
                of: scope, in: context, thresholds: thresholds ?? [:], pairs: pairs)
            var items = PageItems()
            while let comparison = try comparisons.next() {
                let isType = if case .type = comparison.subject { true } else { false }
                let findings = isType ? counts[comparison.type] ?? [:] : [:]
                items.add(comparison, ComparisonWriter.document(comparison, types, findings: findings))
            }
            for document in items.finish() { try take(document) }
        case .diffSummary:
            var comparisons = try archive.comparisons(of: scope, in: context, thresholds: thresholds ?? [:])
            while let comparison = try comparisons.next() { try take(ComparisonWriter.document(comparison, types)) }
        case .pairReport:
            var pairs = try archive.pairs(of: scope, in: context)
            while let pair = try pairs.next() { try take(PairWriter.document(pair, types)) }
        default:
            var findings = try archive.findings(of: scope, in: context, thresholds: thresholds ?? [:])
            while let finding = try findings.next() { try take(FindingWriter.document(finding, types)) }
        }
    }

    /// Findings by type and kind.
    private static func findingCounts(
        of archive: borrowing Archive, _ scope: Scope, _ context: ExportContext
    ) throws -> [Int?: [String: Int]] {
        var findings = try archive.findings(of: scope, in: context, thresholds: Threshold.ofFindings)
        var counts: [Int?: [String: Int]] = [:]
        while let finding = try findings.next() {
            // Sources are of no type.
            if case .source = finding.content { continue }
            counts[finding.type, default: [:]][FindingWriter.name(finding.content), default: 0] += 1
        }
        return counts
    }
}
