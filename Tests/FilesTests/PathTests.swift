import Testing

@testable import Files

@Suite struct `Paths` {
    @Test(arguments: [
        ("plain.sqlite", "plain.sqlite"),
        ("a b?#%41", "a b?#%41"),
        ("Zoë 😀 测试", "Zoë 😀 测试"),
        ("line\nfeed", "line\\x0afeed"),
        ("return\rtab\t", "return\\x0dtab\\x09"),
        ("\u{1B}[31mred", "\\x1b[31mred"),
        ("delete\u{7F}", "delete\\x7f"),
        ("c1\u{9B}", "c1\\xc2\\x9b"),
        ("right\u{202E}to left", "right\\xe2\\x80\\xaeto left"),
        ("joined\u{200D}", "joined\\xe2\\x80\\x8d"),
        ("line\u{2028}paragraph\u{2029}", "line\\xe2\\x80\\xa8paragraph\\xe2\\x80\\xa9"),
        ("private\u{E000}", "private\\xee\\x80\\x80"),
    ])
    func `display escapes what could draw on a terminal or forge a line`(name: String, shown: String) {
        #expect(Path(name).display == shown)
    }

    @Test(
        arguments: [[0x61, 0xFF, 0x62], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5], [0xE2, 0x82]]
            as [[UInt8]])
    func `display of bytes that are not UTF-8 holds no control character and no raw byte`(bytes: [UInt8]) {
        let shown = Path(bytes: bytes).display
        #expect(!shown.isEmpty)
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }

    @Test func `display of bytes that are not UTF-8 names the bytes`() {
        #expect(Path(bytes: [0x61, 0xFF, 0x62]).display == "a\\xffb")
    }

    @Test func `display cuts a long name and says how long it is`() {
        let shown = Path(String(repeating: "x", count: 5000)).display
        #expect(shown == String(repeating: "x", count: 300) + "… (5000 bytes)")
    }

    @Test func `a name ends at its first NUL, as for the system`() {
        #expect(Path(bytes: [0x61, 0x00, 0x62]) == Path("a"))
    }

    @Test(arguments: [
        ("file", ".", "file"), ("/file", "/", "file"), ("a/file", "a", "file"), ("/a/b/file", "/a/b", "file"),
        ("a/", "a", ""), ("./file", ".", "file"),
    ])
    func `folder and name are what stands before and after the last slash`(path: String, folder: String, name: String) {
        #expect(Path(path).directory == Path(folder))
        #expect(Path(path).name == Array(name.utf8))
    }

    @Test(arguments: [("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b")])
    func `a file in a folder`(folder: String, name: String, path: String) {
        #expect(Path(folder).appending(Array(name.utf8)) == Path(path))
    }

    @Test func `printable text is cut at its limit`() {
        #expect(printable("abcdef".utf8, limit: 3) == "abc… (6 bytes)")
        #expect(printable("abc".utf8, limit: 3) == "abc")
        #expect(printable([] as [UInt8]) == "")
    }
}
