"""How mutants are read, placed, woven and blamed."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import entries  # noqa: E402
import steps  # noqa: E402
import weave  # noqa: E402

SOURCE = """func first(_ a: Int, _ b: Int) -> Bool {
    let limit = 3
    if a <= b, a < limit {
        file.sync()
        return true
    }
    return [a, b].contains(
        limit)
}
"""


def mutant(code, name="one", source=SOURCE):
    """A mutant with these lines of code, in its place."""
    text = "[%s]\nwhat = w\nfile = M/F.swift\nsteps = vectors, codes\n" % name + "".join("| %s\n" % line for line in code.split("\n"))
    found, = entries.parse(text, "M.txt")
    entries.place(found, source)
    return found


class Reading(unittest.TestCase):
    def test_entries_of_a_file(self):
        text = "# a comment\n\n[first-one]\nwhat = a bound = a fence\nfile = M/F.swift\nsteps = cli test_x.A.b, swift T/F\n| [-a-]{+b+}\n\n[second]\nwhat = w\n"
        first, second = entries.parse(text, "M.txt")
        self.assertEqual((first.name, first.what, first.module, first.steps, first.code, first.line),
                         ("first-one", "a bound = a fence", "M", ("cli test_x.A.b", "swift T/F"), "[-a-]{+b+}\n", 3))
        self.assertEqual((second.name, second.line), ("second", 9))

    def test_lines_that_have_no_place(self):
        for text in ("what = w\n", "[a]\nwhat\n", "[a]\nwhy = w\n", "[a]\nwhat = w\nwhat = w\n", "[a]\n| x\nwhat = w\n", "[A b]\n"):
            with self.subTest(text), self.assertRaises(entries.Fault):
                entries.parse(text, "M.txt")

    def test_a_text_that_is_there_twice_or_not_at_all(self):
        for code in ("[-limit-]{+2+}", "if [-a <= c-]{+true+}", "if a <= b", "[-a <= b-]{+a+} [-limit-]{+b+}"):
            with self.subTest(code), self.assertRaises(entries.Fault):
                mutant(code)

    def test_forms_that_cannot_be_woven(self):
        for code in ("[-let limit = 3-]{+let limit = 4+}", "if [-a <= b-]{+try a+}, a", "if [-a <= b, a < limit {-]{+true {+}", "if [-a <= b-]{+a <= b+}, a"):
            with self.subTest(code), self.assertRaises(entries.Fault):
                mutant(code)

    def test_an_expression_in_its_place(self):
        found = mutant("if [-a <= b-]{+a < b+}, a")
        self.assertEqual((SOURCE[found.start:found.start + 6], found.old, found.new, found.is_statement), ("a <= b", "a <= b", "a < b", False))

    def test_blanks_of_the_first_line_may_be_left_out(self):
        for code in ("[-file.sync()-]{++}", "        [-file.sync()-]{++}", "[-        file.sync()-]{++}"):
            found = mutant(code)
            self.assertEqual((SOURCE[found.start:found.start + 11], found.old, found.new, found.is_statement), ("file.sync()", "file.sync()", "", True))

    def test_statements_and_expressions_with_lines_of_their_own(self):
        self.assertTrue(mutant("[-return true-]{+return false+}").is_statement)
        self.assertFalse(mutant("contains(\n        [-limit-]{+limit + 1+})").is_statement)

    def test_numbers_depend_on_names_alone(self):
        self.assertEqual(mutant("if [-a <= b-]{+true+}, a", "x-y").number, mutant("[-file.sync()-]{++}", "x-y").number)
        self.assertNotEqual(mutant("if [-a <= b-]{+true+}, a", "x").number, mutant("if [-a <= b-]{+true+}, a", "y").number)


class Weaving(unittest.TestCase):
    def test_both_forms(self):
        condition, call = mutant("if [-a <= b-]{+a < b+}, a", "c"), mutant("[-file.sync()-]{++}", "s")
        text = weave.woven(SOURCE, weave.overlapping([call, condition])[0])
        self.assertIn("    if (hp_mutant(%d) ? (a < b) : (a <= b)/*%d*/), a < limit {\n" % (2 * (condition.number,)), text)
        self.assertIn("        if hp_mutant(%d) {  } else { file.sync() }/*%d*/\n" % (2 * (call.number,)), text)

    def test_one_within_another_and_two_in_one_place(self):
        outer, inner, same = mutant("if [-a <= b, a < limit-]{+true+} {", "o"), mutant("if [-a <= b-]{+a < b+}, a", "i"), mutant("if [-a <= b-]{+false+}, a", "j")
        taken, rest = weave.overlapping([inner, same, outer])
        self.assertEqual((taken, rest), ([outer, inner, same], []))
        self.assertIn("if (hp_mutant(%d) ? (true) : ((hp_mutant(%d) ? (a < b) : ((hp_mutant(%d) ? (false) : (a <= b)" % (outer.number, inner.number, same.number),
                      weave.woven(SOURCE, taken))

    def test_two_that_overlap_by_halves_need_two_builds(self):
        left, right = mutant("if [-a <= b, a-]{+true, b+} <", "l"), mutant("if a <= [-b, a < limit-]{+b+} {", "r")
        self.assertEqual(weave.groups([right, left]), [[left], [right]])

    def test_the_manifest_has_the_switch_and_no_errors_of_warnings(self):
        text = weave.manifest((entries.ROOT / "Package.swift").read_text(encoding="utf-8"))
        self.assertNotIn("treatAllWarnings", text)
        self.assertEqual(text.count('dependencies + ["CMutant"]'), 2)
        with self.assertRaises(entries.Fault):
            weave.manifest("let package = 1")


class Narrowing(unittest.TestCase):
    def test_the_test_of_the_command_line_that_failed(self):
        for line in ("FAIL: test_b (test_a.C.test_b)", "FAIL: test_b (test_a.C)", "ERROR: test_b (test_a.C.test_b) (name='x')"):
            self.assertEqual(steps.failing_test("cli test_a", "x\n%s\ny" % line, ""), "cli test_a.C.test_b")
        self.assertEqual(steps.failing_test("cli test_a", "ERROR: setUpClass (test_a.C)\n", ""), "cli test_a.C")
        self.assertEqual(steps.failing_test("cli test_a", "", "test_a.C.test_d"), "cli test_a.C.test_d")

    def test_the_swift_test_that_failed(self):
        for line in ('✘ Test "a b" recorded an issue at F.swift:1:2: x', '✘ Test "a b" with 6 test cases failed after 1 seconds with 1 issue.',
                     '✘ Test "a b" failed after 0.1 seconds with 1 issue.'):
            self.assertEqual(steps.failing_test("swift T/F", "x\n%s\n" % line, ""), "swift T/F: a b")
        self.assertEqual(steps.failing_test("swift T/F", "✘ Test run with 3 tests in 1 suite failed after 1 seconds\n", ""), "")

    def test_names_of_steps(self):
        for name in ("differential", "brute force", "cli test_verify", "swift ManifestTests", "swift ManifestTests/FrameTests"):
            self.assertEqual(steps.fault_of(name), "")
        for name in ("nothing", "vectors", "cli test_nothing", "cli test_verify.Nothing", "swift NoTests", "swift ManifestTests/Nothing", "cli", "swift"):
            self.assertNotEqual(steps.fault_of(name), "", name)


if __name__ == "__main__":
    unittest.main()
