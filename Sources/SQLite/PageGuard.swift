/// Watches the pages that SQLite reads for one connection: no page may be used twice (decision 0022).
///
/// In a whole database each page has one use: it is the child of one interior page, a part of one chain of overflow
/// pages, the root of a table or index, or free. SQLite checks that in `integrity_check` only. A few shared pages make
/// a scan of any length. So each page is looked at when SQLite reads it for the first time, in the main file or in the
/// log: what it leads to must not have a use yet. A scan then meets each page once, and no scan gives more than the
/// file holds, whatever the statement.
///
/// One state of the database is watched at a time. SQLite reads the first page again whenever the database has another
/// state than what it remembers, so the watch begins anew there.
///
/// A page that the connection writes is SQLite's own work from then on, and is not looked at again. All other pages
/// stay those of that state, in which two of them never lead to one page, wherever SQLite has moved that meanwhile. So
/// the watch is as exact after a write as before.
final class PageGuard {
    /// The fault, for people; `nil` while there is none.
    private(set) var fault: String?
    /// `true` if SQLite copies pages from the log to the main file: they are of several states.
    var isCheckpointing = false

    private enum Use: UInt64 {
        case tree = 1, overflow, root, trunk, free
    }

    // For each page: its parent in 32 bits, its use in eight above them, then whether it was looked at, and refused.
    private var entries: [[UInt64]] = []
    private static let chunk = 256
    private static let seen: UInt64 = 1 << 40
    private static let refused: UInt64 = 1 << 41

    private var isWatching = false
    private var roots: [UInt32] = []
    /// The number of the schema that the roots are of.
    private var cookie: UInt32 = 0
    private var limit: UInt32 = 0
    private var tree = PageTree(usable: 0)
    private(set) var pageSize = 0
    private var hasPointerMap = false
    /// Overflow pages that cells state, together.
    private var overflowCount: UInt64 = 0
    /// `true` if the connection wrote a page of this state.
    private var hasWritten = false
    /// The first link to a page that this state does not have: once the connection writes, there may be one.
    private var beyond: (page: UInt32, conflict: Conflict)?

    /// Watches the roots of tables and indexes, too: those of the state that was read last.
    func watch(roots: [UInt32]) {
        self.roots = roots
        addRoots()
    }

    /// Notes that the connection writes a page.
    func note(written number: UInt32) {
        guard isWatching, !isCheckpointing else { return }
        hasWritten = true
        guard let entry = entry(of: number), entry & Self.refused == 0 else { return }
        set(number, entry | Self.seen)
    }

    /// Looks at a page that SQLite read; whether it may be used.
    ///
    /// - Parameters:
    ///   - size: gives the bytes of the main file and the log.
    ///   - read: gives another page; nil if there is a log, which may hold a newer one.
    func accept(
        _ number: UInt32, _ page: borrowing RawSpan, size: () -> UInt64, read: (UInt32) -> [UInt8]?
    ) -> Bool {
        guard !isCheckpointing else { return true }
        if number == 1 { begin(page, size()) }
        guard isWatching, page.byteCount == pageSize, let entry = entry(of: number), entry & Self.seen == 0,
            let use = Use(rawValue: entry >> 32 & 0xFF)
        else { return true }
        guard entry & Self.refused == 0 else { return false }
        if hasWritten, let beyond {
            refuse(beyond.page, beyond.conflict)
            return false
        }
        set(number, entry | Self.seen)
        do throws(Conflict) {
            if number == 1 { addFreePages(from: page.number32(32), read) }
            switch use {
            case .tree, .root: try addLinks(of: number, page)
            case .overflow: try add(page.number32(0), .overflow, number)
            case .trunk: try addFreePages(of: number, page)
            case .free: break
            }
            return true
        } catch {
            refuse(number, error)
            return false
        }
    }

    // MARK: A state of the database

    /// Begins with the first page of a state.
    private func begin(_ page: borrowing RawSpan, _ size: UInt64) {
        // A fault is one of what SQLite remembers until now.
        fault = nil
        pageSize = page.byteCount
        tree = PageTree(usable: pageSize - Int(page.byte(20)))
        let found = page.number32(40)
        if roots.isEmpty { cookie = found }
        // Where another program changed the schema since, the roots are not known.
        isWatching = tree.usable >= 480 && cookie == found
        guard isWatching else { return }
        limit = UInt32(min(size / UInt64(pageSize) + 1, UInt64(UInt32.max - 1)))
        entries = [[UInt64]](repeating: [], count: Int(limit) / Self.chunk + 1)
        overflowCount = 0
        (hasWritten, beyond) = (false, nil)
        hasPointerMap = page.number32(52) != 0
        set(1, Use.root.rawValue << 32)
        addRoots()
    }

    private func addRoots() {
        guard isWatching else { return }
        for root in roots where root > 1 && root <= limit {
            let before = entry(of: root) ?? 0
            if before == 0 {
                set(root, Use.root.rawValue << 32)
            } else if before >> 32 & 0xFF != Use.root.rawValue {
                refuse(root, Conflict(root, user(before), "the schema"))
            }
        }
    }

    // MARK: Links

    private struct Conflict: Error {
        let text: String

        init(text: String) { self.text = text }

        init(_ page: UInt32, _ one: String, _ other: String) {
            text = "page \(page) is used twice: by \(one) and by \(other)"
        }
    }

    /// Returns the user of a page, for people.
    private func user(_ entry: UInt64) -> String {
        let parent = UInt32(truncatingIfNeeded: entry)
        return parent == 0 ? "the schema" : "page \(parent)"
    }

    private func addLinks(of number: UInt32, _ page: borrowing RawSpan) throws(Conflict) {
        let found = try tree.forEachLink(page, from: number == 1 ? 100 : 0) { link throws(Conflict) in
            switch link {
            case .child(let child): try add(child, .tree, number)
            case .overflow(let first, let count):
                try add(first, .overflow, number)
                overflowCount += count
                guard overflowCount <= UInt64(limit) else {
                    throw Conflict(text: "rows have more overflow pages than there are, by page \(number)")
                }
            }
        }
        switch found {
        case nil: break
        case .cells: throw Conflict(text: "cells of page \(number) are not inside it, or share bytes")
        case .order: throw Conflict(text: "row ids of page \(number) do not rise")
        }
    }

    /// Goes through the list of free pages. Readers do not use it: where a page has another use, taking pages from the
    /// list is refused. If there is a log, its parts are looked at when SQLite takes from them.
    private func addFreePages(from first: UInt32, _ read: (UInt32) -> [UInt8]?) {
        guard first != 0 else { return }
        var place = first
        do throws(Conflict) {
            try add(first, .trunk, 1)
            while place != 0, place <= limit, let page = read(place) {
                set(place, (entry(of: place) ?? 0) | Self.seen)
                let bytes = unsafe page.span.bytes
                try addFreePages(of: place, bytes)
                place = bytes.number32(0)
            }
        } catch {
            refuse(place, error)
        }
    }

    private func addFreePages(of number: UInt32, _ page: borrowing RawSpan) throws(Conflict) {
        try add(page.number32(0), .trunk, number)
        let count = Int(page.number32(4))
        guard count <= pageSize / 4 - 2 else { return }
        for index in 0..<count { try add(page.number32(8 + 4 * index), .free, number) }
    }

    /// Refuses a page now and whenever SQLite reads it again.
    private func refuse(_ number: UInt32, _ conflict: Conflict) {
        if let entry = entry(of: number) { set(number, entry & ~Self.seen | Self.refused) }
        fault = fault ?? conflict.text
    }

    /// Gives a page its use. SQLite itself refuses pages that are not there.
    private func add(_ number: UInt32, _ use: Use, _ parent: UInt32) throws(Conflict) {
        guard number != 0 else { return }
        guard number <= limit else {
            let conflict = Conflict(text: "page \(parent) leads to page \(number), which is not there")
            beyond = beyond ?? (parent, conflict)
            if hasWritten { throw conflict }
            return
        }
        // A page may be written before a use of it is known.
        let entry = entry(of: number) ?? 0, before = entry & ~Self.seen
        guard before == 0, !isReserved(number) else {
            throw Conflict(number, before == 0 ? "SQLite itself" : user(before), "page \(parent)")
        }
        set(number, entry | UInt64(parent) | use.rawValue << 32)
    }

    /// Returns `true` if SQLite keeps a page for itself: that of the locks, or one of the map of pointers ("Database
    /// File Format", 1.3 and 1.8).
    private func isReserved(_ number: UInt32) -> Bool {
        let locks = UInt32(0x4000_0000 / pageSize) + 1
        if number == locks { return true }
        guard hasPointerMap, number >= 2 else { return false }
        let each = UInt32(tree.usable / 5) + 1
        let map = (number - 2) / each * each + 2
        return number == (map == locks ? map + 1 : map)
    }

    // MARK: Entries

    /// Returns the entry of a page; `nil` if the file has no such page, 0 if nothing is known of it.
    private func entry(of number: UInt32) -> UInt64? {
        guard number >= 1, number <= limit else { return nil }
        let (chunk, place) = Int(number).quotientAndRemainder(dividingBy: Self.chunk)
        return entries[chunk].isEmpty ? 0 : entries[chunk][place]
    }

    private func set(_ number: UInt32, _ value: UInt64) {
        let (chunk, place) = Int(number).quotientAndRemainder(dividingBy: Self.chunk)
        if entries[chunk].isEmpty { entries[chunk] = [UInt64](repeating: 0, count: Self.chunk) }
        entries[chunk][place] = value
    }
}
