"""Small changes of Swift code, found by tokens alone. Each becomes an expression or a statement that asks the switch which of the two it is.

What does not type-check is dropped by the build (weave.py), so that an operator need not know types.
"""

import dataclasses

from swift_tokens import Source

# Where the operand of a comparison ends, on its depth; and where that of a sum does.
WORDS = {"if", "guard", "while", "return", "where", "in", "case", "try", "try?", "await", "else", "let", "var", "throw", "unsafe", "consume", "borrow", "inout", "is", "as", "switch", "for", "do"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "&+=", "&-=", "<<=", ">>=", "&<<=", "&>>="}
LOGIC = {"&&", "||"}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!=", "===", "!==", "~="}
ENDS = WORDS | ASSIGNMENTS | {",", ";", ":", "?", "->"}
BOUND = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SUM = {"+": "-", "-": "+", "&+": "&-", "&-": "&+"}
NO_STATEMENT = {"let", "var", "return", "if", "guard", "for", "while", "switch", "do", "defer", "func", "struct", "enum", "case", "default", "import", "repeat", "else", "typealias", "in", "catch", "extension"}
JUMPS = {"throw", "break", "continue", "return"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change: the stretch of a file that it replaces, with `{}` for the question whether it is on, and both texts to read."""

    file: str
    operator: str
    start: int
    end: int
    line: int
    last_line: int
    woven: tuple
    old: str
    new: str

    @property
    def module(self):
        return self.file.split("/")[0]

    def text(self, number):
        """The code with a switch of this number."""
        return ("hp_mutant(%d)" % number).join(self.woven)

    def shown(self):
        return "%s -> %s" % (" ".join(self.old.split()), " ".join(self.new.split()) or "nothing")


class Finder:
    """All changes of one file."""

    def __init__(self, file, text):
        self.file, self.source, self.text = file, Source(text), text
        self.tokens, self.context = self.source.tokens, self.source.context
        self.found = []

    def all(self):
        for index in range(len(self.tokens)):
            if self.context[index] == "body":
                self.condition(index)
                self.comparison(index)
                self.logic(index)
                self.sum(index)
                self.constant(index)
                self.returned(index)
                self.arguments(index)
                self.least(index)
            if self.context[index]:
                self.number(index)
        for first, last in self.source.statements():
            self.statement(first, last)
        return self.found

    def slice(self, first, last):
        """The text from one token to another."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def add(self, operator, first, last, woven, new, old=None):
        begin, end = self.tokens[first], self.tokens[last]
        # Code that is taken out by `mark_conditions` within the stretch comes along unchanged. A comment would end the line that it is woven into.
        if "//" in self.slice(first, last) and operator != "drop":
            return
        self.found.append(Mutant(self.file, operator, begin.start, end.end, begin.line, end.line + end.text.count("\n"), tuple(woven), old or self.slice(first, last), new))

    def choice(self, operator, first, last, new):
        old = self.slice(first, last)
        self.add(operator, first, last, ("(", " ? (%s) : (%s))" % (new, old)), new)

    def negation(self, operator, first, last):
        old = self.slice(first, last)
        self.add(operator, first, last, ("(", " != (%s))" % old), "!(%s)" % old)

    def is_binary(self, index):
        token = self.tokens[index]
        return token.kind == "operator" and token.before and token.after

    def left(self, index, ends):
        """The first token of the operand before a token."""
        at, around = index - 1, self.tokens[index].around
        while at > around:
            token = self.tokens[at]
            if token.text in CLOSED:
                at = token.partner
            elif token.text in ends and (token.kind != "operator" or token.text in ASSIGNMENTS or token.before and token.after) or token.text == "{":
                break
            elif at - 1 > around and self.is_statement_start(at):
                return at
            at -= 1
        return at + 1

    def is_statement_start(self, index):
        around = self.tokens[index].around
        return around >= 0 and self.tokens[around].text == "{" and self.source.is_break(index)

    def right(self, index, ends):
        """The last token of the operand after a token, or -1 where braces follow that may be a closure."""
        at, around = index + 1, self.tokens[index].around
        end = self.tokens[around].partner if around >= 0 else len(self.tokens)
        while at < end:
            token = self.tokens[at]
            if token.text == "{":
                return at - 1 if self.is_in_condition(index) else -1
            if token.text in ends and (token.kind != "operator" or token.text in ASSIGNMENTS or token.before and token.after):
                break
            if at > index + 1 and self.is_statement_start(at):
                break
            at = token.partner + 1 if self.source.is_open(at) else at + 1
        return at - 1

    def is_in_condition(self, index):
        """Whether a token is in the condition of a statement: the next braces on its depth are those of the statement."""
        at, around = index, self.tokens[index].around
        while at > around:
            if self.tokens[at].text in ("if", "guard", "while", "for", "switch"):
                return True
            if self.is_statement_start(at):
                return False
            at = self.tokens[at].partner - 1 if self.tokens[at].text in CLOSED else at - 1
        return False

    def condition(self, index):
        """Negates one clause of a condition."""
        if self.tokens[index].text not in ("if", "guard", "while") or self.tokens[index].before is False:
            return
        at, begin = index + 1, index + 1
        while at < len(self.tokens):
            text = self.tokens[at].text
            if text in (",", "{", "else"):
                first = self.tokens[begin].text
                if first not in ("let", "var", "case", "unsafe") and first[0] not in "#@" and at > begin:
                    self.negation("negate", begin, at - 1)
                begin = at + 1
                if text != ",":
                    return
            elif text in ("}", ")", ";"):
                return
            at = self.tokens[at].partner + 1 if self.source.is_open(at) else at + 1

    def comparison(self, index):
        text = self.tokens[index].text
        if text not in COMPARISONS - {"~="} or not self.is_binary(index):
            return
        first, last = self.left(index, ENDS | LOGIC), self.right(index, ENDS | LOGIC)
        if first < index < last:
            if text in BOUND:
                self.choice("bound", first, last, self.text[self.tokens[first].start:self.tokens[index].start] + BOUND[text] + self.text[self.tokens[index].end:self.tokens[last].end])
            else:
                self.negation("equal", first, last)

    def logic(self, index):
        text = self.tokens[index].text
        if text not in LOGIC or not self.is_binary(index):
            return
        first, last = self.left(index, ENDS), self.right(index, ENDS)
        if first < index < last:
            new = {"&&": "||", "||": "&&"}[text]
            self.choice("logic", first, last, self.text[self.tokens[first].start:self.tokens[index].start] + new + self.text[self.tokens[index].end:self.tokens[last].end])

    def sum(self, index):
        text = self.tokens[index].text
        if text not in SUM or not self.is_binary(index):
            return
        ends = ENDS | LOGIC | COMPARISONS | {"..<", "...", "??"}
        first, last = self.left(index, ends), self.right(index, ends)
        if first < index < last:
            self.choice("sum", first, last, self.text[self.tokens[first].start:self.tokens[index].start] + SUM[text] + self.text[self.tokens[index].end:self.tokens[last].end])

    def constant(self, index):
        if self.tokens[index].text in ("true", "false"):
            self.add("constant", index, index, ("(", " != %s)" % self.tokens[index].text), {"true": "false", "false": "true"}[self.tokens[index].text])

    def number(self, index):
        token = self.tokens[index]
        if token.kind != "number" or index and self.tokens[index - 1].text.endswith(".") or token.text.startswith("0b"):
            return
        digits = token.text.replace("_", "")
        if "." in digits or "e" in digits and not digits.startswith("0x"):
            new = repr(float(digits) + 1)
        else:
            new = str(int(digits, 0) + 1) if not digits.startswith("0") or digits[1:2] in ("x", "o", "") else str(int(digits) + 1)
        self.choice("number", index, index, new)

    def returned(self, index):
        if self.tokens[index].text != "return" or self.is_statement_start(index + 1):
            return
        last, result = self.end_of_statement(index), self.source.result_of(index)
        first = index + 1
        if last < first or self.tokens[first].text in ("if", "switch", "true", "false", "nil", "do"):
            return
        if result == "Bool":
            self.negation("return", first, last)
        elif result == "?":
            self.choice("return", first, last, "nil")

    def end_of_statement(self, index):
        at, around = index + 1, self.tokens[index].around
        end = self.tokens[around].partner if around >= 0 else len(self.tokens)
        while at < end and not self.is_statement_start(at):
            at = self.tokens[at].partner + 1 if self.source.is_open(at) else at + 1
        return at - 1

    def arguments_of(self, index):
        """The values of a call's arguments, as their first and last tokens."""
        stop, at = self.tokens[index].partner, index + 1
        values, begin = [], at
        while at <= stop:
            if at == stop or self.tokens[at].text == ",":
                if at > begin:
                    has_label = self.tokens[begin].kind == "word" and self.tokens[begin + 1].text == ":"
                    values.append((begin + 2 if has_label else begin, at - 1))
                begin = at + 1
            at = self.tokens[at].partner + 1 if self.source.is_open(at) else at + 1
        return values

    def arguments(self, index):
        """Swaps two arguments that are next to each other."""
        if self.tokens[index].text != "(" or self.tokens[index].before or self.tokens[index - 1].kind != "word" or self.tokens[index - 1].text in WORDS:
            return
        values = self.arguments_of(index)
        for (first, last), (second, end) in zip(values, values[1:]):
            one, two = self.slice(first, last), self.slice(second, end)
            words = {self.tokens[at].text for at in range(first, end + 1)}
            if last < first or end < second or one == two or words & {"&", "{", "try", "await", "let", "var", "_", "consume"} or any(text.startswith("&") for text in words):
                continue
            between = self.text[self.tokens[last].end:self.tokens[second].start]
            self.add("swap", first, end, ("(", " ? (%s) : (%s))%s(" % (two, one, between), " ? (%s) : (%s))" % (one, two)), two + between + one)

    def least(self, index):
        text = self.tokens[index].text
        if text in ("min", "max") and self.source.next_text(index) == "(" and self.tokens[index - 1].text not in (".", "func", "?."):
            last = self.tokens[index + 1].partner
            self.choice("least", index, last, {"min": "max", "max": "min"}[text] + self.slice(index + 1, last))

    def statement(self, first, last):
        """Drops a statement that does something: a call, an assignment, a jump."""
        token = self.tokens[first]
        if token.kind not in ("word",) or token.text in NO_STATEMENT - JUMPS or token.text[0] in "#@" or not all(self.context[first:first + 1]):
            return
        if token.text in ("precondition", "assert") or self.tokens[last].line - token.line > 12:
            return
        texts = [one.text for one in self.tokens[first:last + 1]]
        if token.text not in JUMPS and "(" not in texts and not set(texts) & ASSIGNMENTS:
            return
        if token.text == "return" and first != last:
            return
        # A `defer` is left alone, and so is what is all that braces have: it may be their value.
        around = token.around
        if around > 0 and self.tokens[around - 1].text == "defer":
            return
        code = self.slice(first, last)
        self.add("drop", first, last, ("if !", " { %s%s }" % (code, "\n" if "//" in code else "")), "")


CLOSED = {")", "]", "}"}


def mutants_of(file, text):
    """The mutants of a file of Sources, in the order of their places; none where the file is generated."""
    first = text.split("\n", 1)[0]
    if first.startswith("// ") and "Scripts/" in first or "@resultBuilder" in text:
        return []
    return sorted(Finder(file, text).all(), key=lambda one: (one.start, one.end, one.operator, one.new))
