import Testing

@testable import Tool

@Suite struct `Nearest names` {
    static let names = ["archive", "bundle", "reproduce", "list", "--since", "--source", "--summary", "-o"]

    @Test(arguments: [
        ("bundel", "bundle"), ("bundl", "bundle"), ("bunddle", "bundle"), ("bumdle", "bundle"), ("BUNDLE", "bundle"),
        ("lst", "list"), ("lits", "list"), ("--sourse", "--source"), ("--sincc", "--since"), ("--sum", "--summary"),
        ("rep", "reproduce"), ("archives", "archive"), ("--s", "--since"),
    ])
    func `what is near is named`(_ text: String, _ name: String) {
        #expect(NearestName.of(text.utf8, among: Self.names) == name)
    }

    @Test(arguments: ["", "-x", "-", "--", "frob", "re", "bnl", "--everything", "l"])
    func `what is far from all is not`(_ text: String) {
        #expect(NearestName.of(text.utf8, among: Self.names) == nil)
    }

    @Test func `of names that are alike near it is the first`() {
        #expect(NearestName.of("cat".utf8, among: ["bat", "hat"]) == "bat")
        #expect(NearestName.of("cat".utf8, among: ["hat", "bat"]) == "hat")
    }

    @Test func `two neighbours that are swapped are one change, twice the same byte is none`() {
        // ab → ba is one change of six bytes; two replacements are two of six, and near, too: the swap wins.
        #expect(NearestName.of("listed".utf8, among: ["lasted", "lisetd"]) == "lasted")
        #expect(NearestName.of("listed".utf8, among: ["lasetd", "lisetd"]) == "lisetd")
    }

    @Test func `long texts are compared by their beginning, and a name cannot draw on a terminal`() {
        let long = String(repeating: "x", count: 100_000)
        #expect(NearestName.of((long + "a").utf8, among: [long + "b"]) == long + "b")
        #expect(NearestName.hint(for: "abcdef".utf8, among: ["abcde\u{1B}"]) == "did you mean abcde\\x1b?")
        #expect(NearestName.hint(for: "zzz".utf8, among: ["abc"]) == nil)
    }
}
