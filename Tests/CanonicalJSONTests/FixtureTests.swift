import Testing

@testable import CanonicalJSON

@Suite struct `Fixtures of canonical JSON` {
    @Test(arguments: Fixtures.names(in: "accept", extension: "in"))
    func `a text is brought into its stated canonical form`(name: String) throws {
        let input = try Fixtures.bytes("accept/\(name).in")
        let output = try Fixtures.bytes("accept/\(name).out")
        #expect(try canonicalForm(input) == output)
        #expect(try Fixtures.lines("accept/\(name).hex") == [output.hex])
        #expect(isCanonical(input) == (input == output))
    }

    @Test(arguments: Fixtures.names(in: "accept", extension: "out"))
    func `a canonical text is accepted and comes back as it is`(name: String) throws {
        let output = try Fixtures.bytes("accept/\(name).out")
        #expect(isCanonical(output))
        #expect(try canonicalForm(output) == output)
        #expect(try copy(output) == output)
        #expect(try copy(output, .json) == output)
    }

    @Test(arguments: FaultCase.all(in: "reject"))
    func `a faulty text is rejected in both modes with its code and offset`(fault faulty: FaultCase) {
        #expect(fault(of: faulty.text, .json) == faulty.expected)
        #expect(throws: JSONError.self) { try canonicalForm(faulty.text) }
        // Something that is merely not canonical may come before the fault.
        let deviation = Validator.firstDeviation(in: faulty.text.span)
        let offset = faulty.expected.split(separator: " ").last.flatMap { Int($0) }
        #expect(deviation.map { $0.offset <= offset ?? -1 } == true)
    }

    @Test(arguments: FaultCase.all(in: "noncanonical"))
    func `the first deviation is named by its code and offset`(deviation: FaultCase) throws {
        #expect(fault(of: deviation.text, .canonical) == deviation.expected)
        guard let canonical = try? canonicalForm(deviation.text) else {
            #expect(
                deviation.name.contains("-before-") || deviation.name.hasSuffix("alone")
                    || deviation.name.contains("repeats"))
            return
        }
        #expect(canonical != deviation.text)
        #expect(isCanonical(canonical))
    }

    @Test func `every code has a case`() {
        let codes: Set<JSONError.Code> = [
            .syntax, .byteOrderMark, .utf8, .surrogate, .duplicateKey, .numberRange, .depth,
            .whiteSpace, .keyOrder, .escape, .number,
        ]
        let cases = FaultCase.all(in: "reject") + FaultCase.all(in: "noncanonical")
        let covered = Set(cases.map { String($0.expected.prefix { $0 != " " }) })
        #expect(covered == Set(codes.map(\.rawValue)))
    }

    @Test(arguments: Fixtures.names(in: "accept", extension: "in"), ["in", "out"])
    func `a text that is cut is accepted only where it is complete already`(name: String, suffix: String) throws {
        let text = try Fixtures.bytes("accept/\(name).\(suffix)")
        let isNumber = text.first.map { $0.isDigit || $0 == 0x2D } ?? false
        for end in stride(from: 0, to: text.count, by: max(1, text.count / 400)) {
            let restIsWhiteSpace = text[end...].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            for mode in [Reader.Mode.json, .canonical] where fault(of: Array(text[..<end]), mode) == nil {
                #expect(restIsWhiteSpace || isNumber, "cut at byte \(end)")
            }
        }
    }

    @Test(arguments: JSONErrorExample.all)
    func `an error says its code, its place and what is wrong`(example: JSONErrorExample) {
        #expect(JSONError(example.code, at: 42).description == example.text)
    }
}

struct JSONErrorExample: Sendable {
    let code: JSONError.Code
    let text: String

    static let all = [
        JSONErrorExample(code: .syntax, text: "syntax at byte 42: the text is not JSON"),
        JSONErrorExample(code: .duplicateKey, text: "duplicate_key at byte 42: the object has this key already"),
        JSONErrorExample(code: .whiteSpace, text: "white_space at byte 42: white space between tokens"),
        JSONErrorExample(code: .init(rawValue: "other"), text: "other at byte 42: the text is not accepted"),
    ]
}
