"""Cuts Swift sources into tokens, as far as mutants need it: brackets, statements, and the parts that run.

A token is opaque if it is a string. Comments are not tokens. Nothing here knows types: what does not type-check is dropped later.
"""

import bisect
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*)
  | (?P<block>/\*)
  | (?P<string>\#*"(?:"")?)
  | (?P<number>0x[0-9a-fA-F_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+)?)
  | (?P<word>[#@$]?`?[A-Za-z_]\w*`?|\$[0-9]+)
  | (?P<operator>[-+*/%<>=!&|^~?.]+)
  | (?P<mark>.)
""", re.VERBOSE)
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
TYPES = {"struct", "class", "enum", "extension", "protocol", "actor"}
MEMBERS = {"func", "init", "deinit", "subscript", "var", "let", "case", "typealias", "associatedtype", "import", "precedencegroup", "operator"}
# Calls whose arguments are our own mistakes.
CHECKS = {"precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError"}


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    line: int
    # Blanks before and after: an operator between two operands has both or neither.
    before: bool = False
    after: bool = False
    # The index of the bracket around it, and of the bracket that closes it or opens it; -1 where there is none.
    around: int = -1
    partner: int = -1


def end_of_string(text, start, opening):
    """The place after a string literal; what is interpolated is skipped with it."""
    hashes, quotes = opening.count("#"), opening.lstrip("#")
    closing, escape, at = quotes + "#" * hashes, "\\" + "#" * hashes, start + len(opening)
    while not text.startswith(closing, at):
        if at >= len(text):
            raise ValueError("a string that begins at %d has no end" % start)
        if text.startswith(escape + "(", at):
            depth, at = 1, at + len(escape) + 1
            while depth:
                found = TOKEN.match(text, at)
                if found.lastgroup == "string":
                    at = end_of_string(text, at, found[0])
                    continue
                depth += {"(": 1, ")": -1}.get(found[0], 0)
                at = found.end()
        else:
            at += len(escape) + 1 if text.startswith(escape, at) else 1
    return at + len(closing)


def tokens_of(text):
    """The tokens of a text, each with the brackets around it."""
    found, at, opened = [], 0, []
    lines = [match.end() for match in re.finditer("\n", text)]
    while at < len(text):
        match = TOKEN.match(text, at)
        kind, word, end = match.lastgroup, match[0], match.end()
        if kind == "block":
            depth = 1
            while depth:
                inner = re.compile(r"/\*|\*/").search(text, end)
                depth, end = depth + (1 if inner[0] == "/*" else -1), inner.end()
        elif kind == "string":
            # Two quotes are an empty string, three begin a text of many lines.
            if word.lstrip("#") == '"' and text.startswith('""' + "#" * word.count("#"), match.start() + len(word) - 1):
                end = match.start() + len(word) + 1 + word.count("#")
            else:
                end = end_of_string(text, match.start(), word)
        if kind not in ("space", "comment", "block"):
            index = len(found)
            token = Token(kind, text[at:end], at, end, bisect.bisect_right(lines, at) + 1, text[at - 1:at].isspace(), text[end:end + 1].isspace())
            token.around = opened[-1] if opened else -1
            if word in CLOSE and opened:
                token.partner = opened.pop()
                token.around = opened[-1] if opened else -1
                found[token.partner].partner = index
            elif word in OPEN:
                opened.append(index)
            found.append(token)
        at = end
    return found


class Source:
    """A file's tokens, and which of them are in code that runs."""

    def __init__(self, text):
        self.text, self.tokens = text, tokens_of(text)
        # For each token: "type" outside of functions, "value" in the value of a stored property, "body" in code, "" where nothing is changed.
        self.context = [""] * len(self.tokens)
        # What a function's or property's braces give: the word before them, with a question mark.
        self.results = {}
        self.mark(0, len(self.tokens), "type")
        self.mark_conditions()

    def is_open(self, index):
        return self.tokens[index].text in OPEN and self.tokens[index].partner > index

    def mark(self, begin, end, context):
        """Sets the context of a stretch of declarations, and of what is in their braces."""
        index, pending, is_value, is_conditional = begin, None, False, 0
        # Whether an attribute makes the code a part of other modules.
        is_marked = is_closed = False
        while index < end:
            token = self.tokens[index]
            word = token.text
            if word in ("#if", "#endif"):
                is_conditional += 1 if word == "#if" else -1
            elif word in TYPES and not (word == "class" and self.tokens[index + 1].text in MEMBERS):
                pending, is_value, is_closed, is_marked = "type", False, False, False
            elif word in MEMBERS and not (index and self.tokens[index - 1].text == "."):
                pending, is_value = ("body" if word not in ("case", "import") else None), False
                is_closed, is_marked = is_marked, False
            elif word == "=" and pending == "body":
                is_value = True
            elif word == "@inlinable" or word.startswith("@_"):
                is_marked = True
            if self.is_open(index):
                stop = token.partner
                if word == "{":
                    self.results[index] = self.result_before(index)
                    if is_conditional or is_closed and pending != "type":
                        pass
                    elif pending == "type":
                        self.mark(index + 1, stop, "type")
                    else:
                        self.context[index:stop + 1] = ["body"] * (stop + 1 - index)
                        for inner in range(index + 1, stop):
                            if self.tokens[inner].text == "{":
                                self.results[inner] = self.result_before(inner)
                    pending, is_value = (pending if pending == "body" and is_value else None), False
                elif is_value and not is_conditional and not is_closed:
                    self.context[index:stop + 1] = ["value"] * (stop + 1 - index)
                index = stop
            elif is_value and not is_conditional and not is_closed:
                self.context[index] = "value"
            index += 1

    def mark_conditions(self):
        """Takes out of the code what is never changed: conditional compilation, attributes, patterns of cases, checks of our own mistakes."""
        depth = 0
        for index, token in enumerate(self.tokens):
            depth += {"#if": 1, "#endif": -1}.get(token.text, 0)
            if depth or token.text[0] in "#@":
                self.context[index] = ""
            if token.text in CHECKS and self.next_text(index) == "(":
                self.clear(index, self.tokens[index + 1].partner)
            if token.text[0] == "@" and self.next_text(index) == "(" and not token.after:
                self.clear(index, self.tokens[index + 1].partner)
            if token.text == "case":
                end = index + 1
                while end < len(self.tokens) and self.tokens[end].text not in (":", "=", "{", "}"):
                    end = self.tokens[end].partner + 1 if self.is_open(end) else end + 1
                self.clear(index, end - 1)

    def clear(self, first, last):
        self.context[first:last + 1] = [""] * (last + 1 - first)

    def next_text(self, index):
        return self.tokens[index + 1].text if index + 1 < len(self.tokens) else ""

    def result_before(self, brace):
        """What a function or a computed property gives: "Bool", an optional's "?", or nothing."""
        last, before = self.tokens[brace - 1], self.tokens[brace - 2] if brace > 1 else None
        if before and last.text == "Bool" and before.text in ("->", ":"):
            return "Bool"
        return "?" if last.text == "?" else ""

    def result_of(self, index):
        """What `return` at a place gives: that of the innermost braces that say it. Braces of conditions say nothing."""
        at = self.tokens[index].around
        while at >= 0:
            if self.results.get(at):
                return self.results[at]
            at = self.tokens[at].around
        return ""

    def statements(self):
        """Statements in bodies, as indexes of their first and last token."""
        for brace, token in enumerate(self.tokens):
            if token.text == "{" and self.context[brace] == "body" and token.partner > brace:
                yield from self.statements_in(brace, token.partner)

    def statements_in(self, brace, end):
        begin, index = brace + 1, brace + 1
        # The parameters of a closure are no statement.
        for at in range(brace + 1, min(end, brace + 24)):
            if self.tokens[at].text == "in" and self.tokens[at].line == self.tokens[brace].line:
                if not any(self.tokens[one].text in ("for", "{") for one in range(brace + 1, at)):
                    begin = index = at + 1
                break
        while index < end:
            if self.tokens[index].text in ("case", "default") and index == begin:
                while index < end and self.tokens[index].text != ":":
                    index = self.tokens[index].partner + 1 if self.is_open(index) else index + 1
                begin = index = index + 1
                continue
            after = self.tokens[index].partner + 1 if self.is_open(index) else index + 1
            if after >= end or self.is_break(after):
                yield begin, after - 1
                begin = after
            index = after

    def is_break(self, index):
        """Whether a new statement begins at a token."""
        token, last = self.tokens[index], self.tokens[index - 1]
        if last.text == ";":
            return True
        if token.line == self.tokens[index - 1].line + self.tokens[index - 1].text.count("\n"):
            return False
        if token.text in ("else", "catch", "where", "as", "is", "?", ":", ",", ")", "in") or token.text.startswith((".", "?")):
            return False
        if token.kind == "operator" and token.after:
            return False
        return not (last.text in (",", "else", "in", "=", "return", "?") or last.kind == "operator" and last.before or last.text in (":",))
