internal import Archive
internal import Bytes
internal import Files

/// The item hashes of a view, whose rows are by time: a manifest hash covers them by the numbers of the items.
///
///     key         number of the item (8)
///     companion   the text of its hash
final class ViewHashes {
    private var sorter = RowSorter(of: Path("-"))
    /// Why rows could not be sorted.
    private(set) var failure: ArchiveError?

    /// Adds rows.
    func add(_ run: ItemRun) {
        guard failure == nil else { return }
        var key = ByteBuffer(capacity: 8)
        do throws(ArchiveError) {
            for (index, place) in run.places.enumerated() {
                key.removeAll()
                key.append(bigEndian: UInt64(place), count: 8)
                let start = index * 67 + 1
                try sorter.add(key.span, companion: run.quotedHashes.span.extracting(start..<start + 64))
            }
        } catch {
            failure = error
        }
    }

    /// Gives a hasher the hashes by their numbers.
    ///
    /// - Returns: `false` if the numbers are not those from 1 on, each once.
    func finish(_ hasher: HasherBox) -> Bool {
        guard failure == nil else { return true }
        var key = ByteBuffer(capacity: 8)
        var hash = ByteBuffer(capacity: 64)
        var run = ItemRun()
        var count: UInt64 = 0
        do throws(ArchiveError) {
            var merge = try RowMerge(sorter.finish())
            while try merge.next(into: &key, companion: &hash) {
                count += 1
                guard (0..<8).reduce(UInt64(0), { $0 << 8 | UInt64(key.span[$1]) }) == count else { return false }
                run.add(hash: hash.span)
                guard run.count == 1 << 12 else { continue }
                hasher.add(run.quotedHashes)
                run = ItemRun()
            }
        } catch {
            failure = error
        }
        hasher.add(run.quotedHashes)
        return true
    }
}
