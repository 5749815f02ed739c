import Files
import Scratch
import Testing

@testable import Archive
@testable import Changes

/// Four times the samples take about four times the steps of SQLite's machine. Where a statement goes through a table
/// for each row of another, they take sixteen times as many.
@Suite struct `Work grows with the archive` {
    static let filters = [
        "none": Filter(), "types": Filter(sampleTypes: ["com.example.type"]), "dates": Filter(until: 86400 * 500),
        "sources": Filter(sources: ["com.example.one"]),
    ]

    @Test(arguments: filters.keys.sorted()) func `of a point in time`(filter: String) throws {
        try expectProportion { archive in
            try read(Scope(mode: .pointInTime, observationID: 3, filter: Self.filters[filter]!), archive)
        }
    }

    @Test(arguments: filters.keys.sorted()) func `of a history`(filter: String) throws {
        try expectProportion { archive in
            try read(Scope(mode: .history, observationID: 4, filter: Self.filters[filter]!), archive)
        }
    }

    @Test(arguments: filters.keys.sorted(), [false, true]) func `of changes`(filter: String, isBackwards: Bool) throws {
        let scope = changes(filter, isBackwards)
        try expectProportion { archive in try read(scope, archive) }
    }

    @Test(arguments: filters.keys.sorted(), [false, true]) func `of comparisons`(filter: String, isBackwards: Bool)
        throws
    {
        let scope = changes(filter, isBackwards)
        try expectProportion { archive in
            var rows = try archive.comparisons(of: scope, in: archive.context(of: scope), thresholds: [:])
            while try rows.next() != nil {}
        }
    }

    @Test(arguments: filters.keys.sorted(), [false, true]) func `of findings`(filter: String, isBackwards: Bool) throws
    {
        let scope = changes(filter, isBackwards)
        try expectProportion { archive in
            var findings = try archive.findings(of: scope, in: archive.context(of: scope), thresholds: [:])
            while try findings.next() != nil {}
        }
    }

    private func changes(_ filter: String, _ isBackwards: Bool) -> Scope {
        Scope(changesFrom: isBackwards ? 4 : 1, to: isBackwards ? 1 : 4, filter: Self.filters[filter]!)
    }

    private func read(_ scope: Scope, _ archive: borrowing Archive) throws {
        var records = try archive.rows(of: scope, in: archive.context(of: scope))
        while try records.next() != nil {}
    }

    private func expectProportion(_ read: (borrowing Archive) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let steps = try [1000, 4000].map { samples in
            try GrowingArchive(samples: samples, in: folder).steps { path, wait in
                let archive = try Archive.open(path, for: .evidence, wait: wait)
                try read(archive)
            }
        }
        // Beginnings of a few thousand steps are not counted, those of a small archive more often.
        #expect(steps[1] > 0 && steps[1] <= 6 * (steps[0] + 4), "\(steps)")
    }
}
