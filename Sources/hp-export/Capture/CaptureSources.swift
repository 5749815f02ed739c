import AppleHealth
import Capture
import Files
import Tool

/// The sources of a call of `capture`: Apple Health exports, one capture feed, or one iPhone backup.
struct CaptureSources {
    /// Exports, as they were given.
    private(set) var exports: [Path] = []
    /// The feed; nil if exports are captured.
    private(set) var feed: Path?
    /// The folder of the backup; `nil` if something else is captured.
    let backup: Path?

    /// `true` if the observation is kept whole: its source can be read again.
    var isWhole: Bool { feed == nil }

    /// The sources that the arguments name.
    ///
    /// - Throws: `UsageError` if there is none, or if there is a feed beside another source.
    init(_ arguments: Arguments) throws {
        var feeds: [Path] = []
        if let path = try arguments.path("--apple-health") { exports.append(path) }
        if let path = try arguments.path("--feed") { feeds.append(path) }
        backup = try arguments.path("--iphone-backup")
        for path in arguments.operands.dropFirst() {
            guard path != Path("-") else {
                throw UsageError("- is standard input: name it with --apple-health or with --feed")
            }
            if try Self.isFeed(path) { feeds.append(path) } else { exports.append(path) }
        }
        guard backup == nil || exports.isEmpty && feeds.isEmpty else {
            throw UsageError("a capture takes one iPhone backup, and nothing next to it")
        }
        guard !exports.isEmpty || !feeds.isEmpty || backup != nil else {
            throw UsageError("name a source: an export of Apple Health, a capture feed, or an iPhone backup")
        }
        guard feeds.isEmpty || feeds.count == 1 && exports.isEmpty else {
            throw UsageError("a capture takes one feed, or any number of exports")
        }
        feed = feeds.first
    }

    /// Returns `true` if a file is a capture feed: its text begins an object. A zip, a folder and XML begin otherwise.
    private static func isFeed(_ path: Path) throws -> Bool {
        // Before it is opened: opening a device can have effects. Whoever reads the source says what is wrong with it.
        guard let status = try FileStatus.of(path), status.isRegular else { return false }
        var front = [UInt8](repeating: 0, count: 64)
        let file = try Descriptor.reading(path)
        let count = try file.read(into: &front, at: 0, count: front.count)
        return front[..<count].first { !isBlank($0) } == UInt8(ascii: "{")
    }

    /// Returns `true` if a byte is white space, or one of the mark that UTF-8 texts may begin with.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || 0x09...0x0D ~= byte || [0xEF, 0xBB, 0xBF].contains(byte)
    }

    /// Returns the exports by their dates; of one date as they were given.
    ///
    /// Each is read up to its date, unless there is only one.
    func ordered(observedAt: ExportDate?, _ place: CaptureCommand.Place) throws -> [Path] {
        guard exports.count > 1 else { return exports }
        guard !exports.contains(Path("-")) else {
            throw UsageError("standard input is captured alone: its date is not known before it is read")
        }
        let secret = try ArchiveSecret.find(place.secret, for: place.archive, changesNothing: true)
        let dated = try exports.enumerated().map { index, path in
            let date = try AppleHealthReader.date(
                of: path, secret: secret, observedAt: observedAt, shouldStop: place.hooks.shouldStop)
            return (date, index, path)
        }
        return dated.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }
}
