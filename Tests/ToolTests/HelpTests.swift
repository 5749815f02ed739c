import Build
import Testing

@testable import Tool

/// A tool with one command of each kind of option and operand.
private let example = Tool(
    name: "hp-test", libraries: [("zstd", "7.8.9")], summary: "try things", usage: "COMMAND [OPTIONS]",
    about: [.text("Tries things.")],
    exitStatus: [Tool.Term("0", "done")],
    commands: [
        Tool.Command(
            "try", "try it's worth", usage: ["ARCHIVE -o FILE [OPTIONS]", "ARCHIVE --all"],
            about: [
                .text(String(repeating: "word ", count: 30) + "end."),
                .terms([
                    Tool.Term("a-word", ".begins with a point"), Tool.Term("b", "'begins with an apostrophe' \\ ~^`é"),
                ]),
            ], operands: [Tool.Operand(.archive), Tool.Operand(.word(["one", "two"]))],
            options: [
                Tool.Option("-o", .file(), "where to; - is standard output"),
                Tool.Option("--all", "all [of] them: really"),
                Tool.Option("--a-very-long-option", .text("NAME"), isRepeatable: true, "a name"),
            ], example: "archive.sqlite one", exitStatus: [Tool.Term("0", "done"), Tool.Term("2", "not done")]
        ) { _, _ in .good }
    ])

@Suite struct `What is made of the table of commands` {
    @Test func `help has lines of at most 100 characters, aligned`() {
        let text = HelpText(example.commands[0], of: "hp-test").text
        #expect(
            text == """
                usage: hp-test try ARCHIVE -o FILE [OPTIONS]
                       hp-test try ARCHIVE --all

                word word word word word word word word word word word word word word word word word word word word
                word word word word word word word word word word end.

                  a-word  .begins with a point
                  b       'begins with an apostrophe' \\ ~^`é

                  -o FILE             where to; - is standard output
                  --all               all [of] them: really
                  --a-very-long-option NAME
                                      a name; may be repeated

                example: hp-test try archive.sqlite one
                exit status: 0 done, 2 not done

                """)
        #expect(HelpText(example).text.contains("\n  try          try it's worth\n"))
    }

    @Test func `a manual page has no line that roff takes for a request of its own`() {
        let text = ManualPage(example.commands[0], of: example).text
        for line in text.split(separator: "\n") where line.first == "." || line.first == "'" {
            let known = [".TH ", ".SH ", ".TP", ".PP", ".EX", ".EE", ".br", ".BR "]
            #expect(known.contains { line.hasPrefix($0) }, "\(line)")
        }
        #expect(text.hasPrefix(".TH HP\\-TEST\\-TRY 1 \"\" \"healthprobe \(Build.version)\" \"HealthProbe\"\n"))
        #expect(text.contains("\n\\&.begins with a point\n"))
        #expect(text.contains("\n\\(aqbegins with an apostrophe\\(aq \\e \\(ti\\(ha\\(ga\\[u00E9]\n"))
        #expect(text.contains(".TP\n\\fB\\-o\\fP \\fIFILE\\fP\nwhere to; \\- is standard output\n"))
    }

    @Test(arguments: Completions.shells) func `completions know commands, options and words`(shell: String) throws {
        let text = try #require(Completions(example).text(for: shell))
        for word in ["try", "help", "manual", "completions", "one two", "all", "a-very-long-option"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test func `other shells have none`() {
        #expect(Completions(example).text(for: "tcsh") == nil)
        #expect(Completions.quoted("it's") == "'it'\\''s'")
        #expect(Completions.brief("where to; - is standard output") == "where to")
        #expect(Completions.brief("all [of] them: really") == "all")
    }
}
