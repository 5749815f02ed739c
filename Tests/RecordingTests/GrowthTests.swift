import Files
import Scratch
import Testing

@testable import Archive
@testable import Recording

@Suite struct `Work of a repair grows with the archive` {
    @Test(arguments: [[RepairPart.ranges], [.aggregates]])
    func `four times the days take about four times the steps`(parts: [RepairPart]) throws {
        let folder = try TemporaryFolder()
        let steps = try [1000, 4000].map { samples in
            try GrowingArchive(samples: samples, in: folder).steps { path, wait in
                let archive = try Archive.open(path, for: .evidence, wait: wait)
                _ = try archive.plannedRepair(Set(parts))
            }
        }
        #expect(steps[1] > 0 && steps[1] <= 6 * (steps[0] + 4), "\(steps)")
    }
}
