internal import CanonicalJSON

/// The damages and the missing items in the header of a salvage (`Spec/salvage.md`), to be compared with the rest of
/// the file. They are read from the header's own bytes: nothing of it is kept if a header is only passed by.
struct SalvageAccount: Sendable {
    private struct Entry {
        var byte, byteEnd, frame, frameEnd, lineCount, source: Int64?
        var isRepeat = false
    }

    private var entries: [Entry] = []
    private var stated: Int64?
    private var missingCount: Int64?
    /// Types with items missing, where something is said of them.
    private var missing: [(name: [UInt8]?, count: Int64)] = []
    private var saysMissing = false
    /// Files that it was recovered from.
    private var sourceCount: Int64 = 1

    private static let greatest: Int64 = 1 << 53 - 1
    private static let listed = 1000
    private static let repeated = Array("order.repeated".utf8)

    /// Reads a `salvage` object of the right shape.
    init(_ salvage: Span<UInt8>) {
        // The object was read before, so that nothing can be thrown.
        try? read(salvage)
    }

    private mutating func read(_ salvage: Span<UInt8>) throws(JSONError) {
        var reader = Reader(.canonical)
        var path: [String] = []
        var name = ""
        while true {
            switch try reader.next(in: salvage) {
            case .key(let key):
                name = String(decoding: key.range.map { salvage[$0] }, as: UTF8.self)
                if path.count == 1, name == "export" || name == "manifest" { _ = try reader.skipValue(in: salvage) }
            case .beginObject, .beginArray:
                path.append(path.isEmpty ? "" : name)
                begin(path)
            case .endObject, .endArray:
                path.removeLast()
                name = path.last ?? ""
            case .number(let range): take(reader.integer(range, in: salvage), path, name)
            case .string(let text):
                var bytes: [UInt8] = []
                reader.unescape(text, in: salvage, into: &bytes)
                take(bytes, path, name)
            case .end: return
            default: break
            }
        }
    }

    private mutating func begin(_ path: [String]) {
        if path == ["", "account", "account"] { entries.append(Entry()) }
        if path == ["", "missing"] { saysMissing = true }
        if path == ["", "other_sources", "other_sources"] { sourceCount += 1 }
        if path == ["", "missing", "types", "types"] { missing.append((nil, 0)) }
    }

    private mutating func take(_ number: Int64?, _ path: [String], _ name: String) {
        switch (path.count, name) {
        case (1, "account_count"): stated = number
        case (2, "item_count"): missingCount = number
        case (3, "byte"): entries[entries.count - 1].byte = number
        case (3, "byte_end"): entries[entries.count - 1].byteEnd = number
        case (3, "frame"): entries[entries.count - 1].frame = number
        case (3, "frame_end"): entries[entries.count - 1].frameEnd = number
        case (3, "line_count"): entries[entries.count - 1].lineCount = number
        case (3, "source"): entries[entries.count - 1].source = number
        case (4, "item_count"): missing[missing.count - 1].count = number ?? 0
        default: break
        }
    }

    private mutating func take(_ text: [UInt8], _ path: [String], _ name: String) {
        switch (path.count, name) {
        case (3, "code"): entries[entries.count - 1].isRepeat = text == Self.repeated
        case (4, "sample_type"): missing[missing.count - 1].name = text
        default: break
        }
    }

    /// Pointers, from `salvage`, to what contradicts something beside it.
    var contradictions: [String] {
        var found: [String] = []
        if let stated, Int64(entries.count) != min(stated, Int64(Self.listed)) { found.append("/account_count") }
        for (index, entry) in entries.enumerated() {
            if let byte = entry.byte, let end = entry.byteEnd, end < byte { found.append("/account/\(index)/byte_end") }
            if let frame = entry.frame, let end = entry.frameEnd, end < frame {
                found.append("/account/\(index)/frame_end")
            }
            if let source = entry.source, source > sourceCount { found.append("/account/\(index)/source") }
        }
        if saysMissing, let missingCount,
            missingCount != missing.reduce(0, { min(Self.greatest, $0 + min(Self.greatest, $1.count)) })
        {
            found.append("/missing/item_count")
        }
        return found
    }

    /// Returns `true` if `missing` is what a manifest counts and is not among the recovered items. Items that were
    /// recovered twice count once; their number is not known if the account does not list all.
    func fits(_ manifest: ManifestFacts, recovered: ([UInt8]?) -> Int64) -> Bool {
        guard saysMissing else { return true }
        let repeated = entries.reduce(0) { sum, entry in
            min(Self.greatest, sum + (entry.isRepeat ? min(Self.greatest, entry.lineCount ?? 0) : 0))
        }
        let isComplete = stated == Int64(entries.count)
        var place = 0
        for (name, counts) in manifest.types {
            let lost = counts.itemCount - recovered(name)
            let most = isComplete ? min(lost + repeated, counts.itemCount) : counts.itemCount
            if place < missing.count, missing[place].name == name, lost <= missing[place].count,
                missing[place].count <= most
            {
                place += 1
            } else if lost > 0 {
                return false
            }
        }
        return place == missing.count
    }
}
