/// The order of lines in a feed: what may come after what.
struct FeedOrder {
    /// Lines of content in a page, at most.
    static let pageLines = 100_000
    /// Bytes of the lines of a page, at most, LFs included.
    static let pageBytes = 64 << 20
    /// Type runs of an observation, at most.
    static let runLimit = 4096

    private enum Stage {
        case beforeFeed, betweenObservations, inObservation
    }

    private var stage = Stage.beforeFeed
    /// The runs of the observation: whether each is open.
    private var runs: [[UInt8]: Bool] = [:]
    private var openRuns = 0
    private var lastPage: Int64 = 0
    /// Lines of content since the last page ended.
    private(set) var lines = 0
    private var bytes = 0

    init() {}

    var isInObservation: Bool { stage == .inObservation }
    /// `true` if the first line has come.
    var hasBegun: Bool { stage != .beforeFeed }

    /// Checks that a line of a kind may come now.
    mutating func admit(_ kind: FeedKind, size: Int) throws(FeedFault) {
        if kind == .feed {
            guard stage == .beforeFeed else { throw FeedFault(.kind, "a feed line that is not the first line") }
        } else if stage == .beforeFeed {
            throw FeedFault(.kind, "the first line is not a feed line")
        } else if kind == .observation {
            guard stage == .betweenObservations else { throw FeedFault(.kind, "an observation in an observation") }
        } else if stage != .inObservation {
            throw FeedFault(.kind, "not allowed outside of an observation")
        }
        guard kind.isContent else {
            if kind != .page, lines > 0 { throw FeedFault(.kind, "not allowed within a page") }
            return
        }
        lines += 1
        bytes += size
        if lines > Self.pageLines { throw FeedFault("the page has more than \(Self.pageLines) lines") }
        if bytes > Self.pageBytes { throw FeedFault("the page has more than \(Self.pageBytes >> 20) MiB") }
    }

    mutating func beginFeed() { stage = .betweenObservations }

    mutating func beginObservation() {
        stage = .inObservation
        runs.removeAll()
        openRuns = 0
        lastPage = 0
    }

    mutating func beginRun(_ type: [UInt8]) throws(FeedFault) {
        guard runs.count < Self.runLimit else { throw FeedFault("the observation has more than \(Self.runLimit) runs") }
        guard runs.updateValue(true, forKey: type) == nil else {
            throw FeedFault(.sampleType, "has a run in this observation already")
        }
        openRuns += 1
    }

    /// Returns `true` if samples of a type may come.
    func isOpen(_ type: [UInt8]) -> Bool { runs[type] ?? false }

    mutating func endRun(_ type: [UInt8]) throws(FeedFault) {
        guard isOpen(type) else { throw FeedFault(.sampleType, "has no open run") }
        runs[type] = false
        openRuns -= 1
    }

    /// Ends a page. A page may come again, the next one may come, and no other.
    mutating func endPage(_ number: Int64) throws(FeedFault) {
        guard number >= 1, number <= lastPage + 1 else {
            throw FeedFault(
                .number,
                "not the number of the next page or of one before")
        }
        lastPage = max(lastPage, number)
        lines = 0
        bytes = 0
    }

    mutating func endObservation(isCompleted: Bool) throws(FeedFault) {
        guard !isCompleted || openRuns == 0 else { throw FeedFault(.status, "completed, and a run is open") }
        stage = .betweenObservations
    }
}
