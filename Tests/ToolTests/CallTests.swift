import Archive
import Files
import Testing

@testable import Tool

private struct Hinted: HintedError {
    let description = "a place: a fault"
    let hint: String?
}

private struct ClosedPipe: PipeError {
    let isBrokenPipe = true
}

@Suite struct `How a command ends` {
    // Spec/command-line.md, "Exit status".
    @Test func `a result is good or has findings`() {
        #expect(ExitStatus(isGood: true).number == 0)
        #expect(ExitStatus(isGood: false).number == 1)
    }

    @Test(
        arguments: [
            (UsageError("name one archive") as any Error, nil as Int32?, 2 as Int32), (Hinted(hint: "wait"), nil, 2),
            (ClosedPipe(), nil, 0), (ClosedPipe(), 2, 130), (Hinted(hint: nil), 15, 143), (UsageError("x"), 1, 129),
        ] as [(any Error, Int32?, Int32)])
    func `an error is 2, a signal comes first, and a closed pipe is no error`(
        error: any Error, signal: Int32?, number: Int32
    ) {
        #expect(ExitStatus(of: error, Voice(tool: "hp-test"), signal: signal).number == number)
    }

    @Test func `the table has a meaning for each status`() {
        #expect(Tool.Term.statuses("done").map(\.name) == ["0", "2", "128+n"])
        #expect(Tool.Term.statuses("done", findings: "not good").map(\.meaning)[1] == "not good")
    }
}

@Suite struct `What a command declares` {
    private let command = Tool.Command(
        "try", "try things", about: [],
        operands: [.archive, Tool.Operand(.word(["rows", "pages"]), unknown: { "there is no \($0)" })],
        wanted: "name an archive, and rows or pages", options: [.wait, Tool.Option("--write", "")], example: "a.sqlite",
        access: { $0.has("--write") ? .recording.locked : .reading }
    ) { _, _ in .good }

    private func refusal(_ line: String) -> UsageError? {
        do throws(UsageError) {
            try command.check(words(line).map { Path(bytes: $0) })
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["", "a.sqlite", "a.sqlite rows pages"])
    func `operands that are too few or too many are refused`(line: String) {
        #expect(refusal(line)?.description == "name an archive, and rows or pages")
    }

    @Test func `a word is one of its set, and a near one is offered`() {
        #expect(refusal("a.sqlite rows") == nil)
        #expect(refusal("a.sqlite row")?.description == "there is no row")
        #expect(refusal("a.sqlite row")?.hint == "did you mean rows?")
    }

    @Test func `an operand may be left out, or come again`() throws {
        let command = Tool.Command(
            "try", "", about: [], operands: [Tool.Operand(.word([]), isRepeatable: true, isOptional: true)],
            example: ""
        ) { _, _ in .good }
        for line in ["", "a", "a b c"] { try command.check(words(line).map { Path(bytes: $0) }) }
        #expect(command.access(try Arguments([], options: [])) == .evidence)
    }

    @Test func `the access follows the call, and what is locked is written`() throws {
        func call(_ line: String) throws -> Call {
            Call(command, try Arguments(words(line), options: command.options), Voice(tool: "hp-test"))
        }
        #expect(try !call("a.sqlite rows").access.isWriting)
        let writing = try call("a.sqlite rows --write --wait 7")
        #expect(writing.access.isWriting && writing.access.isLocked && writing.access.opening == .recording)
        #expect(writing.archive == Path("a.sqlite"))
        #expect(try writing.wait(for: writing.archive).seconds == 7)
        #expect(try call("a.sqlite rows").wait(for: Path("a.sqlite")).seconds == 60)
        #expect(!Access.evidence.isWriting && Access.beside.isWriting && !Access.beside.isLocked)
        #expect(Access.evidence.locked.isWriting)
    }
}
