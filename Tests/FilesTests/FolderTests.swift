import Scratch
import Testing

@testable import Files

struct FolderTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try Program.run("mkdir", ["-p", folder.path("top/inner").text, folder.path("outside").text])
        try folder.write(Array("one".utf8), as: "top/inner/file")
        try folder.write(Array("two".utf8), as: "outside/file")
        _ = try Program.run("ln", ["-s", folder.path("outside").text, folder.path("top/link").text])
        _ = try Program.run("ln", ["-s", folder.path("outside/file").text, folder.path("top/inner/linked").text])
        _ = try Program.run("mkfifo", [folder.path("top/pipe").text])
    }

    @Test func `what is in a folder is found`() throws {
        let top = try Folder.open(folder.path("top"))
        #expect(Set(try top.names().map { String(decoding: $0, as: UTF8.self) }) == ["inner", "link", "pipe"])
        #expect(try top.status(Array("inner".utf8))?.isDirectory == true)
        #expect(try top.status(Array("link".utf8))?.kind == "a symbolic link")
        #expect(try top.status(Array("nothing".utf8)) == nil)
        let inner = try top.folder(Array("inner".utf8))
        var buffer = [UInt8](repeating: 0, count: 9)
        #expect(try inner.file(Array("file".utf8)).read(into: &buffer) == 3)
        #expect(try Folder.open(folder.path("top/link")).names().count == 1)
    }

    @Test(arguments: ["link", "pipe", "..", ".", "", "inner/file", "/etc", "nothing"])
    func `no name leads out of it, and only regular files are opened`(_ name: String) throws {
        let top = try Folder.open(folder.path("top"))
        #expect(throws: FileError.self) { _ = try top.file(Array(name.utf8)) }
        #expect(throws: FileError.self) { _ = try top.folder(Array(name.utf8)) }
        let inner = try top.folder(Array("inner".utf8))
        #expect(throws: FileError.self) { _ = try inner.file(Array("linked".utf8)) }
    }
}
