import Files
import Testing

@Suite struct `Text for people` {
    @Test(
        arguments: [
            ("::error::x", "\\x3a:error::x"), ("  ::x", "  \\x3a:x"), ("\u{A0}::x", "\u{A0}\\x3a:x"), (":x", ":x"),
            ("a::b", "a::b"), ("##[x", "#\\x23[x"), ("a##[b##[", "a#\\x23[b#\\x23["), ("###[", "##\\x23["),
            ("##", "##"),
            ("\n::x", "\\x0a::x"), ("::", "\\x3a:"), (": :", ": :"),
        ])
    func `what a build server would obey is escaped, and nothing else of it`(text: String, shown: String) {
        #expect(printable(text.utf8) == shown)
    }

    @Test func `a message is one line`() {
        #expect(oneLine("a: b") == "a: b")
        #expect(oneLine("a\n::b\u{1B}[2J\u{202E}é") == "a\\x0a::b\\x1b[2J\\xe2\\x80\\xaeé")
    }

    @Test func `text for a terminal does not depend on where it is cut`() {
        let text =
            Array("a\r\nb\rc\u{1B}[31m\u{9B}1mé日🙂\u{202E}\u{7F}\t\u{85}\r".utf8) + [
                0xC3, 0xE2, 0x80, 0xF0, 0x9F, 0xFF, 0x80,
            ]
        let whole =
            "a\r\nb\\x0dc\\x1b[31m\\xc2\\x9b1mé日🙂\\xe2\\x80\\xae\\x7f\\x09\\xc2\\x85"
            + "\\x0d\\xc3\\xe2\\x80\\xf0\\x9f\\xff\\x80"
        for first in 0...text.count {
            for second in first...text.count {
                var terminal = TerminalText()
                var shown: [UInt8] = []
                for range in [0..<first, first..<second, second..<text.count] {
                    shown += terminal.text(of: text.span.extracting(range), isEnd: false)
                }
                shown += terminal.text(of: [UInt8]().span, isEnd: true)
                #expect(String(decoding: shown, as: UTF8.self) == whole)
            }
        }
    }

    @Test func `only the colours of a status word stay`() {
        var terminal = TerminalText(keepsColours: true)
        let shown = terminal.text(of: Array("\u{1B}[31mx\u{1B}[0m\u{1B}[2J\u{1B}[310m".utf8).span, isEnd: true)
        #expect(String(decoding: shown, as: UTF8.self) == "\u{1B}[31mx\u{1B}[0m\\x1b[2J\\x1b[310m")
    }
}
