import Archive
import Changes
import Exports
import Files
import Timestamps
import Tool

/// The pairs of a diff for people.
enum PairText {
    /// Pairs of one kind that are listed; the others are counted.
    private static let listed = 20

    /// Prints the pairs, and ends the archive's transaction.
    static func show(_ archive: borrowing Archive, _ scope: Scope, _ call: Call) throws -> ExitStatus {
        let context = try archive.context(of: scope)
        let names = context.typeNames.map { printable($0, limit: 60) }
        let from = try archive.observationLabel(scope.fromObservationID ?? scope.observationID)
        var text = "\(try archive.observationLabel(scope.observationID)) compared with \(from)\n\n"
        var pairs = try archive.pairs(of: scope, in: context)
        if let standing = pairs.standing {
            text += """
                two device chains: \(standing.before) and \(standing.after) visible, \(standing.both) of them on both \
                under one identity


                """
        }
        text += try Self.text(&pairs, names)
        archive.rollBack()
        return try call.show(text)
    }

    private static func text(_ pairs: inout PairCursor, _ names: [String]) throws -> String {
        var table = TextTable([
            ("pair", false), ("type", false), ("from", false), ("to", false), ("before", true), ("after", true),
            ("by", false),
        ])
        var counts: [(kind: String, pairs: Int, before: Int, after: Int)] = []
        while let pair = try pairs.next() {
            if Signals.first != nil { throw ExportError.interrupted }
            let kind = wording(pair.kind)
            let place = counts.firstIndex { $0.kind == kind } ?? counts.count
            if place == counts.count { counts.append((kind, 0, 0, 0)) }
            counts[place].pairs += 1
            counts[place].before += pair.before.count
            counts[place].after += pair.after.count
            guard counts[place].pairs <= listed else { continue }
            let by = pair.rule.replacing("_", with: " ") + (pair.isTied ? ", tied" : "")
            table.add([
                kind, names[pair.type], TimestampText.shown(pair.start), TimestampText.shown(pair.end),
                String(pair.before.count),
                String(pair.after.count), by,
            ])
        }
        guard !table.isEmpty else { return "no pairs\n" }
        var text = table.text + "\n"
        for (kind, pairs, before, after) in counts.sorted(by: { $0.kind < $1.kind }) {
            text += "\(kind): \(pairs) pairs, \(before) before, \(after) after\n"
            if pairs > listed { text += "\(pairs - listed) more of \(kind): --format csv has all of them\n" }
        }
        return text + "identity inferred from content, cause not inferred\n"
    }

    private static func wording(_ kind: Pair.Kind) -> String {
        switch kind {
        case .ambiguous: "ambiguous"
        case .condensedInto: "condensed into"
        case .expandedInto: "expanded into"
        case .reIdentified: "re-identified"
        }
    }
}
