#!/usr/bin/env python3
"""How mutants are found, drawn, woven and blamed. The last line is `N passed, N failed`."""

import pathlib
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import operators  # noqa: E402
import run  # noqa: E402
import weave  # noqa: E402
from swift_tokens import Source, tokens_of  # noqa: E402

SOURCE = r'''/// A comment with if a < b { return true }.
package struct Bound {
    static let limit = 3
    @inlinable package func seen(_ a: Int) -> Bool { a < 4 }
    enum Kind: Int { case first = 1, second }

    func first(_ a: Int, _ b: Int) -> Bool {
        precondition(a < 100, "a < 100")
        let text = "if a < \(b + 1) { \"}\" }"
        if a <= b, a == Self.limit { /* a < b */
            file.sync()
            return true
        }
        switch a {
        case 7: count += 1
        default: break
        }
        return [a, b].contains(max(a, b - 1)) && b > 0
    }

    func second(_ a: Int, _ b: Int) -> Int? {
        guard let found = find(a, in: b) else { return nil }
        return found
    }
}
'''


def changes(operator, source=SOURCE):
    """The old and new texts of an operator."""
    return [(one.old, one.new) for one in operators.mutants_of("M/F.swift", source) if one.operator == operator]


class Tokens(unittest.TestCase):
    def test_strings_and_comments_are_skipped(self):
        texts = [token.text for token in tokens_of('a /* b /* c */ */ "d \\(e(")")) f" // g\n#"h\\" i"# """\n j " k\n""" l ""')]
        self.assertEqual(texts, ["a", '"d \\(e(")")) f"', '#"h\\" i"#', '"""\n j " k\n"""', "l", '""'])

    def test_a_raw_string_may_begin_with_a_quote(self):
        texts = [token.text for token in tokens_of('#""a":"\\#(b)"}"# c #""# ##"a"#"## d')]
        self.assertEqual(texts, ['#""a":"\\#(b)"}"#', "c", '#""#', '##"a"#"##', "d"])

    def test_statements(self):
        source = Source("func f() {\n    a(\n        1)\n    b\n        .c()\n    if d {\n        e = 2\n    } else {\n        g()\n    }\n    h.map { i in\n        j(i)\n    }\n}\n")
        found = [source.text[source.tokens[first].start:source.tokens[last].end] for first, last in source.statements()]
        self.assertEqual([text.split("\n")[0] for text in found], ["a(", "b", "if d {", "h.map { i in", "e = 2", "g()", "j(i)"])
        self.assertEqual(found[1], "b\n        .c()")


class Operators(unittest.TestCase):
    def test_each(self):
        self.assertEqual(changes("bound"), [("a <= b", "a < b"), ("b > 0", "b >= 0")])
        self.assertEqual(changes("equal"), [("a == Self.limit", "!(a == Self.limit)")])
        self.assertEqual(changes("negate"), [("a <= b", "!(a <= b)"), ("a == Self.limit", "!(a == Self.limit)")])
        self.assertEqual(changes("logic"), [("[a, b].contains(max(a, b - 1)) && b > 0", "[a, b].contains(max(a, b - 1)) || b > 0")])
        self.assertEqual(changes("sum"), [("b - 1", "b + 1")])
        self.assertEqual(changes("constant"), [("true", "false")])
        self.assertEqual(changes("number"), [("3", "4"), ("1", "2"), ("1", "2"), ("0", "1")])
        self.assertEqual(changes("least"), [("max(a, b - 1)", "min(a, b - 1)")])
        self.assertEqual(changes("swap"), [("a, b - 1", "b - 1, a"), ("a, in: b", "b, in: a")])
        self.assertEqual(changes("return"), [("[a, b].contains(max(a, b - 1)) && b > 0", "!([a, b].contains(max(a, b - 1)) && b > 0)"), ("found", "nil")])
        self.assertEqual([old for old, _ in changes("drop")], ["file.sync()", "count += 1", "break"])

    def test_generated_files_and_other_platforms(self):
        self.assertEqual(operators.mutants_of("M/F.swift", "// Made from Spec/codes.json by Scripts/write-format.\n" + SOURCE), [])
        self.assertEqual(changes("bound", "func f() -> Bool {\n    #if os(Linux)\n        return 1 < a\n    #endif\n    return a < 2\n}\n"), [("a < 2", "a <= 2")])

    def test_all_sources_can_be_read(self):
        found = run.places()
        self.assertGreater(sum(map(len, found.values())), 10_000)


class Weaving(unittest.TestCase):
    def test_a_switch_at_each_place(self):
        mutants = operators.mutants_of("M/F.swift", SOURCE)
        bound, = (one for one in mutants if one.operator == "bound" and one.old == "a <= b")
        drop, = (one for one in mutants if one.old == "file.sync()")
        text = weave.woven(SOURCE, [(7, drop), (5, bound)])
        self.assertIn("        if (hp_mutant(5) ? (a < b) : (a <= b)), a == Self.limit {", text)
        self.assertIn("            if !hp_mutant(7) { file.sync() }\n", text)
        self.assertEqual(text.count("\n"), SOURCE.count("\n"))

    def test_none_shares_a_line(self):
        mutants = operators.mutants_of("M/F.swift", SOURCE)
        drawn = run.drawn(mutants, 100, random.Random(1))
        lines = [line for one in drawn for line in range(one.line, one.last_line + 1)]
        self.assertEqual(len(lines), len(set(lines)))
        self.assertEqual(drawn, run.drawn(mutants, 100, random.Random(1)))

    def test_an_error_is_blamed_on_the_nearest(self):
        mutants = dict(enumerate((one for one in operators.mutants_of("M/F.swift", SOURCE) if one.operator in ("constant", "sum")), 1))
        found, others = weave.blamed("%s/Sources/M/F.swift:13:9: error: no\n/other.swift:1:1: error: other\n" % weave.COPY, mutants)
        self.assertEqual((found, others), ({1: "no"}, ["/other.swift:1: other"]))

    def test_the_manifest_has_the_switch_and_no_errors_of_warnings(self):
        text = weave.manifest((weave.ROOT / "Package.swift").read_text(encoding="utf-8"))
        self.assertNotIn("treatAllWarnings", text)
        self.assertEqual(text.count('dependencies + ["CMutant"]'), 2)
        with self.assertRaises(weave.Fault):
            weave.manifest("let package = 1")


if __name__ == "__main__":
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    failed = len(result.failures) + len(result.errors)
    print("%d passed, %d failed" % (result.testsRun - failed, failed))
    sys.exit(1 if failed else 0)
