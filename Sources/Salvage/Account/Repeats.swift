internal import Manifest
internal import Verification

/// Recovered items that were recovered before: a frame that stands twice in a damaged file gives its items twice.
///
/// Only asked where the items are not in strictly ascending order. Item hashes are compared in parts, a part per
/// pass over the spool: up to eight million items memory hardly grows with the file, and beyond by a sixteenth of
/// their hashes.
struct Repeats {
    /// Places of repeated items among the recovered ones, from 0, in runs.
    private(set) var runs: [Range<Int>] = []
    /// Repeated items.
    private(set) var count = 0
    /// By sample type.
    private(set) var types = TypeTally()

    private struct Place {
        let digest: Digest
        let index: Int
    }

    private static let placesAtOnce = 500_000
    /// Passes over the spool at most. Of a file of equal items, which is small, the spool is a thousand times as large.
    private static let partLimit = 16

    /// No repeats.
    init() {}

    /// Finds the repeats among the items of a spool.
    init(in spool: borrowing Spool, itemCount: Int, limits: ContainerLimits) throws {
        var isRepeat = [Bool](repeating: false, count: itemCount)
        let parts = min(Self.partLimit, max(1, (itemCount + Self.placesAtOnce - 1) / Self.placesAtOnce))
        for part in 0..<parts {
            var places: [Place] = []
            try Self.forEachItem(spool, limits) { line, index in
                // The last bytes of an item's line are its hash, a quote and a brace.
                guard let digest = Digest(hex: line.extracting(last: 66).extracting(first: 64)) else {
                    preconditionFailure("an item ends with its hash")
                }
                // The hash that picks a part is seeded anew in each process: no file can put all its items into one
                // part.
                if parts == 1 || Int(UInt(bitPattern: digest.hashValue) % UInt(parts)) == part {
                    places.append(Place(digest: digest, index: index))
                }
            }
            places.sort { $0.digest == $1.digest ? $0.index < $1.index : $0.digest < $1.digest }
            for (first, second) in zip(places, places.dropFirst()) where first.digest == second.digest {
                isRepeat[second.index] = true
            }
        }
        var lines = LineVerifier(keepsIdentities: false)
        lines.start(header: nil, mayBeHeader: false)
        try Self.forEachItem(spool, limits) { line, index in
            guard isRepeat[index] else { return }
            lines.add(line, at: index)
            count += 1
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
            if count.isMultiple(of: 4096) { enter(lines.finish(), &lines) }
        }
        enter(lines.finish(), &lines)
    }

    private mutating func enter(_ events: [LineEvent], _ lines: inout LineVerifier) {
        lines.start(header: nil, mayBeHeader: false)
        for case .items(let run) in events { types.add(run.types) }
    }

    private static func forEachItem(
        _ spool: borrowing Spool, _ limits: ContainerLimits, _ body: (Span<UInt8>, Int) -> Void
    ) throws {
        var index = 0
        try spool.forEachText(limit: limits.frame) { text in
            var start = 0
            while let end = text.firstLineEnd(from: start) {
                body(text.extracting(start..<end), index)
                start = end + 1
                index += 1
            }
        }
    }
}

extension Digest {
    /// Compares in any order, which will do to find equal ones.
    fileprivate static func < (left: Digest, right: Digest) -> Bool {
        for index in 0..<32 where left[index] != right[index] { return left[index] < right[index] }
        return false
    }
}
