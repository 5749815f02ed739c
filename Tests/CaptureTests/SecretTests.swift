import Files
import Foundation
import Scratch
import Testing

@testable import Capture

@Suite struct `The archive secret` {
    private let folder: TemporaryFolder
    private var path: Path { folder.path("archive.secret") }

    init() throws { folder = try TemporaryFolder() }

    @Test func `it is made once, for its owner alone, and names the same chains for good`() throws {
        let first = try ArchiveSecret.open(path)
        #expect(first.isNew)
        #expect(try #require(try FileStatus.of(path)).mode & 0o777 == 0o600)
        let bytes = try folder.bytes("archive.secret")
        let second = try ArchiveSecret.open(path)
        #expect(!second.isNew)
        #expect(try folder.bytes("archive.secret") == bytes)
        #expect(try folder.names() == ["archive.secret"])
        for kind in [SourceKind.healthStore, .appleHealthExport] {
            #expect(first.deviceChainHash(kind) == second.deviceChainHash(kind))
        }
        #expect(first.deviceChainHash(.healthStore) != first.deviceChainHash(.appleHealthExport))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.wholeMatch(of: /healthprobe-secret 1\nsecret [0-9a-f]{64}\nchain [0-9a-f]{64}\n/) != nil)
    }

    @Test func `a second name that a dead process left is removed`() throws {
        _ = try ArchiveSecret.open(path)
        let second = folder.path(".archive.secret.0token.partial")
        try FileManager.default.linkItem(atPath: path.text, toPath: second.text)
        // A program that another test starts has the locks of all open files, this one's too, until it is loaded.
        for _ in 0..<500 {
            #expect(try !ArchiveSecret.open(path).isNew)
            if try folder.names().count == 1 { break }
            Thread.sleep(forTimeInterval: 0.01)
        }
        #expect(try folder.names() == ["archive.secret"])
    }

    @Test func `two archives have two secrets`() throws {
        let other = try ArchiveSecret.open(folder.path("other.secret"))
        #expect(try ArchiveSecret.open(path).deviceChainHash(.healthStore) != other.deviceChainHash(.healthStore))
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666])
    func `one that others can use is refused and left alone`(mode: Int) throws {
        _ = try ArchiveSecret.open(path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.text)
        let before = try folder.contents()
        let error = #expect(throws: CaptureError.self) { try ArchiveSecret.open(path) }
        #expect(error?.code == .secret)
        #expect(error?.description == "\(path.display): others than the owner can read or write it")
        #expect(error?.hint == "chmod 600 \(path.display)")
        #expect(try folder.contents() == before)
    }

    @Test(arguments: [
        "", "healthprobe-secret 1\n", "healthprobe-secret 2\nsecret K\nchain K\n", "healthprobe-secret 1\nsecret K\n",
        "healthprobe-secret 1\nchain K\nsecret K\n",
        "healthprobe-secret 1\nsecret K\nchain K", "healthprobe-secret 1\nsecret K\nchain K\n\n",
        "healthprobe-secret 1\nsecret K\nchain K\nmore\n", "healthprobe-secret 1\r\nsecret K\r\nchain K\r\n",
        "healthprobe-secret 1\nsecret K0\nchain K\n", "healthprobe-secret 1\nsecret U\nchain K\n",
        "healthprobe-secret 1\nsecret K \nchain K\n", " healthprobe-secret 1\nsecret K\nchain K\n",
        "healthprobe-secret 1\nsecret K\nchain K\n" + String(repeating: "x", count: 1000), "SQLite format 3\0",
    ])
    func `a file that is no secret is refused, left alone, and not shown`(text: String) throws {
        let key = String(repeating: "0123456789abcdef", count: 4)
        let content = text.replacing("K", with: key).replacing("U", with: key.uppercased())
        try Feeds.write(Array(content.utf8), as: "archive.secret", mode: 0o600, in: folder)
        let error = #expect(throws: CaptureError.self) { try ArchiveSecret.open(path) }
        #expect(error?.description == "\(path.display): not an archive secret")
        #expect(try folder.bytes("archive.secret") == Array(content.utf8))
    }

    @Test func `what is no regular file is refused`() throws {
        try folder.fifo("fifo")
        try folder.link("dangling", to: "nowhere/at/all")
        #expect(throws: CaptureError.self) { try ArchiveSecret.open(folder.path("fifo")) }
        #expect(throws: CaptureError.self) { try ArchiveSecret.open(folder.path) }
        #expect(throws: CaptureError.self) { try ArchiveSecret.open(folder.path("dangling")) }
        #expect(throws: CaptureError.self) {
            try ArchiveSecret.open(folder.path("no-folder").appending(Array("secret".utf8)))
        }
    }
}
