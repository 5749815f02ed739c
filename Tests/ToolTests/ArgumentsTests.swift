import Files
import Testing

@testable import Tool

/// A command line, its words separated by blanks, and what it holds.
struct CommandLineCase: Sendable, CustomTestStringConvertible {
    let line: String
    var operands: [String] = []
    var flags: [String] = []
    var values: [String: [String]] = [:]

    var testDescription: String { line }
}

func words(_ line: String) -> [[UInt8]] { line.split(separator: " ").map { Array($0.utf8) } }

func parsed(_ words: [[UInt8]]) throws(UsageError) -> Arguments {
    try Arguments(
        words,
        options: [
            Tool.Option("-o", .file(), ""), Tool.Option("--at", .text("OBS"), ""),
            Tool.Option("--type", .text("T"), isRepeatable: true, ""),
            Tool.Option("--level", .number("N", in: 1...19), ""),
            Tool.Option("--format", .word("F", of: ["csv", "json", "bundle"]), ""),
            Tool.Option("--only", .words("C,...", of: ["rows", "pages"]), isRepeatable: true, ""),
            Tool.Option("--quiet", ""), Tool.Option("-q", ""),
        ])
}

@Suite struct `Words of a command line` {
    @Test(arguments: [
        CommandLineCase(line: ""),
        CommandLineCase(line: "a b", operands: ["a", "b"]),
        CommandLineCase(line: "-", operands: ["-"]),
        CommandLineCase(line: "-o -", values: ["-o": ["-"]]),
        CommandLineCase(line: "--quiet a", operands: ["a"], flags: ["--quiet"]),
        CommandLineCase(line: "a --quiet -q", operands: ["a"], flags: ["--quiet", "-q"]),
        CommandLineCase(line: "--quiet --quiet", flags: ["--quiet"]),
        CommandLineCase(line: "--at latest", values: ["--at": ["latest"]]),
        CommandLineCase(line: "--at=latest", values: ["--at": ["latest"]]),
        CommandLineCase(line: "--at=", values: ["--at": [""]]),
        CommandLineCase(line: "--at=a=b", values: ["--at": ["a=b"]]),
        CommandLineCase(line: "--at --quiet", values: ["--at": ["--quiet"]]),
        CommandLineCase(line: "--at --", values: ["--at": ["--"]]),
        CommandLineCase(line: "--type a x --type=b", operands: ["x"], values: ["--type": ["a", "b"]]),
        CommandLineCase(line: "-- --quiet -o --", operands: ["--quiet", "-o", "--"]),
        CommandLineCase(line: "--quiet -- -x", operands: ["-x"], flags: ["--quiet"]),
        CommandLineCase(line: "--type Zoë", values: ["--type": ["Zoë"]]),
    ])
    func `words are options, flags and operands`(example: CommandLineCase) throws {
        let arguments = try parsed(words(example.line))
        #expect(arguments.operands == example.operands.map { Path($0) })
        for flag in ["--quiet", "-q"] { #expect(arguments.has(flag) == example.flags.contains(flag)) }
        for option in ["-o", "--at", "--type", "--level"] {
            #expect(try arguments.texts(option) == example.values[option])
        }
    }

    @Test(arguments: [
        ("--unknown", "unknown option --unknown"),
        ("-x", "unknown option -x"),
        ("--unknown=1", "unknown option --unknown"),
        ("-quiet", "unknown option -quiet"),
        ("--QUIET", "unknown option --QUIET"),
        ("--quie", "unknown option --quie"),
        ("---", "unknown option ---"),
        ("-o/tmp/x", "unknown option -o/tmp/x"),
        ("--quiet=yes", "option --quiet accepts no value"),
        ("--at", "option --at needs a value"),
        ("a --type", "option --type needs a value"),
        ("--format text", "--format accepts csv, json or bundle, not text"),
        ("--format=CSV", "--format accepts csv, json or bundle, not CSV"),
        ("--format=", "--format accepts csv, json or bundle, not "),
        ("--only rows,page", "--only accepts rows and pages, separated by commas, not page"),
        ("--only rows,", "--only accepts rows and pages, separated by commas, not "),
    ])
    func `a mistake is named`(line: String, text: String) {
        let error = #expect(throws: UsageError.self) { _ = try parsed(words(line)) }
        #expect(error?.description == text)
    }

    @Test(arguments: [
        ("--tpye x", "did you mean --type?"), ("--typ", "did you mean --type?"), ("--QUIET", "did you mean --quiet?"),
        ("--hlep", "did you mean --help?"), ("--format=cvs", "did you mean csv?"), ("--only=row", "did you mean rows?"),
        ("--unknown", nil), ("--format text", nil),
    ])
    func `a hint says what was likely meant`(line: String, hint: String?) {
        let error = #expect(throws: UsageError.self) { _ = try parsed(words(line)) }
        #expect(error?.hint == hint)
    }

    @Test func `words of a closed set are separated by commas, and the option may be repeated`() throws {
        #expect(try parsed(words("--only rows,pages --only=rows")).words("--only") == ["rows", "pages", "rows"])
        #expect(try parsed([]).words("--only") == nil)
        #expect(try parsed(words("--format json")).text("--format") == "json")
    }

    @Test func `a number is declared as one`() async {
        await #expect(processExitsWith: .failure) { _ = try parsed([]).integer("--at") }
    }

    @Test func `an option that cannot repeat is refused twice`() throws {
        let arguments = try parsed(words("--at 1 --at 2 -o a -o b"))
        #expect(throws: UsageError.self) { _ = try arguments.text("--at") }
        #expect(throws: UsageError.self) { _ = try arguments.path("-o") }
        #expect(try arguments.texts("--at") == ["1", "2"])
    }

    @Test func `an empty operand is kept, and what is absent is nil`() throws {
        let arguments = try parsed([[], Array("a".utf8)])
        #expect(arguments.operands == [Path(""), Path("a")])
        #expect(try arguments.text("--at") == nil)
        #expect(try arguments.path("-o") == nil)
        #expect(try arguments.integer("--level") == nil)
    }

    @Test(arguments: [("1", 1), ("19", 19), ("007", 7), ("+3", 3)])
    func `a whole number in its range is read`(text: String, value: Int) throws {
        #expect(try parsed(words("--level \(text)")).integer("--level") == value)
    }

    @Test(arguments: ["0", "20", "-1", "1.0", "1e1", "", "one", "99999999999999999999", "1x", "0x5", "１"])
    func `any other number is refused with its range`(text: String) throws {
        let arguments = try parsed([Array("--level=\(text)".utf8)])
        let error = #expect(throws: UsageError.self) { _ = try arguments.integer("--level") }
        #expect(error?.description == "option --level accepts a whole number from 1 to 19")
    }

    @Test func `a file name need not be text, a value that is text must be`() throws {
        let name: [UInt8] = [0x66, 0xFF]
        let arguments = try parsed([Array("-o".utf8), name, Array("--type".utf8), name, name])
        #expect(try arguments.path("-o") == Path(bytes: name))
        #expect(arguments.operands == [Path(bytes: name)])
        let error = #expect(throws: UsageError.self) { _ = try arguments.texts("--type") }
        #expect(error?.description == "the value of --type is not UTF-8 text")
    }

    @Test func `a value with a NUL is no text`() throws {
        let arguments = try parsed([Array("--type".utf8), [0x66, 0x00]])
        let error = #expect(throws: UsageError.self) { _ = try arguments.texts("--type") }
        #expect(error?.description == "the value of --type is not UTF-8 text")
    }

    @Test func `an option's name in an error cannot draw on a terminal`() {
        let error = #expect(throws: UsageError.self) { _ = try parsed([Array("--\u{1B}[2J\n".utf8)]) }
        #expect(error?.description == "unknown option --\\x1b[2J\\x0a")
    }
}

@Suite struct `Exit status` {
    @Test func `it has the documented numbers`() {
        #expect(ExitStatus.good.number == 0)
        #expect(ExitStatus.findings.number == 1)
        #expect(ExitStatus.failed.number == 2)
        #expect(ExitStatus.stopped(by: 2).number == 130)
        #expect(ExitStatus.stopped(by: 15).number == 143)
        #expect(ExitStatus.stopped(by: 1).number == 129)
    }

    @Test func `exit ends the process with the number`() async {
        await #expect(processExitsWith: .exitCode(1)) { ExitStatus.findings.exit() }
    }
}
