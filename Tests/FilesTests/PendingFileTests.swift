import Scratch
import Testing

@testable import Files

@Suite struct `Pending files` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ name: String = "out", token: String = "t") throws -> PendingFile {
        try PendingFile(destination: folder.path(name), token: token)
    }

    @Test func `a file has its name only after it is published`() throws {
        var file = try start()
        try file.write(Array("hello ".utf8).span)
        try file.write(Array("world".utf8).span)
        try file.synchronize()
        #expect(try folder.names() == [".out.t.partial"])
        try file.publish(replacing: false)
        #expect(try folder.contents() == ["out": Array("hello world".utf8)])
    }

    @Test func `it can be read and written by its owner alone`() throws {
        var file = try start()
        try file.publish(replacing: false)
        let status = try #require(try FileStatus.of(folder.path("out")))
        #expect(status.mode & 0o777 == 0o600)
        #expect(status.isRegular)
    }

    @Test func `a file that is dropped leaves nothing`() throws {
        do {
            var file = try start()
            try file.write(Array("lost".utf8).span)
            try file.synchronize()
        }
        #expect(try folder.names().isEmpty)
    }

    @Test func `an existing file is not replaced unless that is asked for`() throws {
        try folder.write(Array("old".utf8), as: "out")
        do {
            var file = try start()
            try file.write(Array("new".utf8).span)
            let error = #expect(throws: FileError.self) { try file.publish(replacing: false) }
            #expect(error?.isExisting == true)
        }
        #expect(try folder.contents() == ["out": Array("old".utf8)])
        var file = try start()
        try file.write(Array("new".utf8).span)
        try file.publish(replacing: true)
        #expect(try folder.contents() == ["out": Array("new".utf8)])
    }

    @Test func `a dangling link with the destination's name counts as existing`() throws {
        try folder.link("out", to: "/nowhere/at/all")
        var file = try start()
        #expect(throws: FileError.self) { try file.publish(replacing: false) }
    }

    @Test func `a second file with the same token is refused, with another it is not`() throws {
        let first = try start(token: "a")
        let error = #expect(throws: FileError.self) { _ = try start(token: "a") }
        #expect(error?.isExisting == true)
        let second = try start(token: "b")
        #expect(try folder.names() == [".out.a.partial", ".out.b.partial"])
        #expect(first.temporary != second.temporary)
    }

    @Test func `a missing folder is an error that names the file`() {
        let error = #expect(throws: FileError.self) {
            _ = try PendingFile(destination: folder.path("no/out"), token: "t")
        }
        #expect(error?.isMissing == true)
        #expect(error?.description.contains("no/.out.t.partial: cannot open: no such file or directory") == true)
    }

    @Test func `abandoned files are removed, those of the living and of others stay`() throws {
        try folder.write([1], as: ".out.dead.partial")
        try folder.write([2], as: ".other.dead.partial")
        try folder.write([3], as: "out.partial")
        try folder.write([4], as: ".out.kept.partial")
        let living = try start(token: "living")
        try PendingFile.removeAbandoned(destination: folder.path("out"), except: [folder.path(".out.kept.partial")])
        #expect(
            try folder.names() == [".other.dead.partial", ".out.kept.partial", ".out.living.partial", "out.partial"])
        _ = living.destination
    }

    @Test func `what other owners left stays`() throws {
        let tokens = [PendingFile.token(of: 1), PendingFile.token(of: 2), PendingFile.token(of: .max), "dead"]
        for token in tokens { try folder.write([1], as: ".out.\(token).partial") }
        try PendingFile.removeAbandoned(destination: folder.path("out"), of: 2)
        #expect(try folder.names() == [".out.\(tokens[0]).partial", ".out.\(tokens[2]).partial"].sorted())
        try PendingFile.removeAbandoned(destination: folder.path("out"))
        #expect(try folder.names().isEmpty)
    }

    @Test func `a file that is kept stays under its temporary name`() throws {
        var file = try start(token: "t")
        file.keep()
        drop(file)
        #expect(try folder.names() == [".out.t.partial"])
    }

    private func drop(_ file: consuming PendingFile) {}

    @Test func `a very long name still has a temporary one`() throws {
        let name = String(repeating: "n", count: 250)
        var file = try start(name)
        try file.publish(replacing: false)
        #expect(try folder.names() == [name])
    }

    @Test func `a name that is not UTF-8 is kept byte for byte`() throws {
        let destination = folder.path.appending([0x6F, 0xFF, 0x0A])
        var file = try PendingFile(destination: destination, token: "t")
        try file.publish(replacing: false)
        #expect(try names(in: folder.path).contains([0x6F, 0xFF, 0x0A]))
    }
}

@Suite struct `Files and folders` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `renaming without replacing leaves an existing file alone`() throws {
        try folder.write([1], as: "one")
        try folder.write([2], as: "two")
        let error = #expect(throws: FileError.self) {
            try rename(folder.path("one"), to: folder.path("two"), replacing: false)
        }
        #expect(error?.isExisting == true)
        #expect(try folder.contents() == ["one": [1], "two": [2]])
        try rename(folder.path("one"), to: folder.path("three"), replacing: false)
        #expect(try folder.contents() == ["three": [1], "two": [2]])
        try rename(folder.path("three"), to: folder.path("two"), replacing: true)
        #expect(try folder.contents() == ["two": [1]])
    }

    @Test func `renaming what is not there is an error`() {
        #expect(throws: FileError.self) { try rename(folder.path("one"), to: folder.path("two"), replacing: false) }
        #expect(throws: FileError.self) { try rename(folder.path("one"), to: folder.path("two"), replacing: true) }
    }

    @Test func `removing what is not there is no error, removing a folder is`() throws {
        try remove(folder.path("nothing"))
        #expect(throws: FileError.self) { try remove(folder.path) }
    }

    @Test func `creating never opens what is there`() throws {
        try folder.write([1], as: "there")
        #expect(throws: FileError.self) { _ = try Descriptor.creating(folder.path("there")) }
        try folder.link("link", to: "there")
        #expect(throws: FileError.self) { _ = try Descriptor.creating(folder.path("link")) }
        #expect(try folder.bytes("there") == [1])
    }

    @Test func `a range is read from its place and ends with the file`() throws {
        try folder.write(Array(0..<100), as: "bytes")
        let file = try Descriptor.reading(folder.path("bytes"))
        var buffer = [UInt8](repeating: 0, count: 50)
        #expect(try file.read(into: &buffer, at: 70, count: 50) == 30)
        #expect(Array(buffer.prefix(30)) == Array(70..<100))
        #expect(try file.read(into: &buffer, at: 200, count: 10) == 0)
        #expect(try file.read(into: &buffer) == 50)
        #expect(buffer == Array(0..<50))
        #expect(try file.status().size == 100)
    }

    @Test func `a FIFO is opened without waiting and known for what it is`() throws {
        try folder.fifo("fifo")
        let file = try Descriptor.reading(folder.path("fifo"))
        let status = try file.status()
        #expect(!status.isRegular)
        #expect(status.kind == "a FIFO")
    }

    @Test func `a lock is held against another descriptor until it is closed`() throws {
        try folder.write([1], as: "file")
        let first = try Descriptor.reading(folder.path("file"))
        #expect(try first.lock())
        let second = try Descriptor.reading(folder.path("file"))
        #expect(try second.lock() == false)
        try first.close()
        #expect(try second.lock())
    }

    @Test func `the absolute form needs the folder, not the file`() throws {
        #expect(try absolute(folder.path("new")) == folder.path("new"))
        let error = #expect(throws: FileError.self) { _ = try absolute(folder.path("no/new")) }
        #expect(error?.isMissing == true)
    }

    @Test(arguments: [10_000_000_000, -10_000_000_000, 9_223_372_037, -9_223_372_037, -1, 0])
    func `a file may be of any time that a file system takes`(seconds: Int) throws {
        try folder.write([1], as: "file")
        _ = try Program.run("touch", ["-d", "@\(seconds).000000001", folder.path("file").text])
        let status = try #require(try FileStatus.of(folder.path("file")))
        // Some file systems take fewer: what the system's own program says is what counts.
        let said = try Program.run("stat", ["-c", "%Y", folder.path("file").text])
        #expect(status.modified.seconds == Int64(String(decoding: said.dropLast(), as: UTF8.self)))
        #expect(try FileStatus.of(folder.path("file")) == status)
    }

    @Test func `a file that is read by its own name is no link`() throws {
        try folder.write([1, 2, 3], as: "file")
        try folder.link("link", to: "file")
        #expect(try Descriptor.readingName(folder.path("file")).status().size == 3)
        #expect(throws: FileError.self) { _ = try Descriptor.readingName(folder.path("link")) }
        #expect(try FileStatus.ofName(folder.path("link"))?.kind == "a symbolic link")
    }

    @Test func `a status follows links and tells files apart`() throws {
        try folder.write([1, 2, 3], as: "file")
        try folder.link("link", to: "file")
        try folder.link("dangling", to: "nowhere")
        let file = try #require(try FileStatus.of(folder.path("file")))
        #expect(file.size == 3)
        #expect(try FileStatus.of(folder.path("link"))?.isSameFile(as: file) == true)
        #expect(try FileStatus.of(folder.path("dangling")) == nil)
        #expect(FileStatus.exists(folder.path("dangling")))
        #expect(!FileStatus.exists(folder.path("nothing")))
        #expect(try FileStatus.of(folder.path)?.kind == "a folder")
    }
}
