#!/usr/bin/env python3
"""Writes the fixtures of canonical JSON next to this script. Standard library only.

accept/NAME.in, NAME.out, NAME.hex      a text, its canonical form, and that form in hexadecimal
reject/NAME.json, NAME.expect           a text with one fault that no reader accepts, and `CODE OFFSET`
noncanonical/NAME.json, NAME.expect     right JSON with one deviation from the canonical form, and `CODE OFFSET`
appendix-b.txt                          the number samples of RFC 8785, appendix B: IEEE 754 bits and text

What is expected is stated below or worked out here from RFC 8785, never by the code under test: keys are sorted by
their UTF-16 big-endian encoding, digits come from repr(), and the layout of numbers is written out in number_text().
"""

import json
import pathlib
import shutil
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.setrecursionlimit(10_000)


def number_text(value):
    """The ECMAScript text of a finite double."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def string_text(value):
    """The canonical text of a string."""
    return '"' + "".join(
        ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in value
    ) + '"'


def canonical(value):
    """The canonical text of a parsed value; objects are lists of pairs inside a one-element tuple."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, tuple):
        pairs = sorted(value[0], key=lambda pair: pair[0].encode("utf-16-be"))
        return "{" + ",".join(string_text(k) + ":" + canonical(v) for k, v in pairs) + "}"
    return "[" + ",".join(map(canonical, value)) + "]"


def parse(text):
    return json.loads(text, object_pairs_hook=lambda pairs: (pairs,), parse_int=float, parse_float=float)


# RFC 8785, sections 3.2.2 to 3.2.4.
RFC_INPUT = r"""{
  "numbers": [333333333.33333329, 1E30, 4.50,
              2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}"""
RFC_HEX = """
7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72
73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32
2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c
5c 5c 5c 22 2f 22 7d
"""
RFC_SORT_INPUT = r"""{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}"""
RFC_SORT_OUTPUT = (
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",'
    '"\u20ac":"Euro Sign","\U0001f600":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}'
)

# RFC 8785, appendix B. The two that are no numbers are left out.
APPENDIX_B = """
0000000000000000 0
8000000000000000 0
0000000000000001 5e-324
8000000000000001 -5e-324
7fefffffffffffff 1.7976931348623157e+308
ffefffffffffffff -1.7976931348623157e+308
4340000000000000 9007199254740992
c340000000000000 -9007199254740992
4430000000000000 295147905179352830000
44b52d02c7e14af5 9.999999999999997e+22
44b52d02c7e14af6 1e+23
44b52d02c7e14af7 1.0000000000000001e+23
444b1ae4d6e2ef4e 999999999999999700000
444b1ae4d6e2ef4f 999999999999999900000
444b1ae4d6e2ef50 1e+21
3eb0c6f7a0b5ed8c 9.999999999999997e-7
3eb0c6f7a0b5ed8d 0.000001
41b3de4355555553 333333333.3333332
41b3de4355555554 333333333.33333325
41b3de4355555555 333333333.3333333
41b3de4355555556 333333333.3333334
41b3de4355555557 333333333.33333343
becbf647612f3696 -0.0000033333333333333333
43143ff3c1cb0959 1424953923781206.2
"""

# Name, text, and the canonical form where it is stated; elsewhere it is worked out.
ACCEPT = [
    ("rfc-8785-3.2.2", RFC_INPUT, bytes.fromhex(RFC_HEX).decode()),
    ("rfc-8785-3.2.3", RFC_SORT_INPUT, RFC_SORT_OUTPUT),
    ("object-empty", " { } ", "{}"),
    ("array-empty", "[\n]", "[]"),
    ("array-nested-empty", "[ [ ] , [ [ ] ] ]", "[[],[[]]]"),
    ("object-nested-empty", '{"a": {"b": {}}}', '{"a":{"b":{}}}'),
    ("literal-null", "null", "null"),
    ("literal-true", "\ttrue\r\n", "true"),
    ("literal-false", "false ", "false"),
    ("string-alone", '"alone"', '"alone"'),
    ("string-empty", '""', '""'),
    ("string-seven-bytes", '"1234567"', None),
    ("string-eight-bytes", '"12345678"', None),
    ("string-nine-bytes", '"123456789"', None),
    ("string-long-ascii", '"' + "0123456789abcdef" * 20 + '"', None),
    ("string-escape-at-eighth-byte", '"1234567\\n9"', '"1234567\\n9"'),
    ("string-all-short-escapes", r'"\"\\\/\b\f\n\r\t"', '"\\"\\\\/\\b\\f\\n\\r\\t"'),
    ("string-all-controls-in-u-form", '"' + "".join(f"\\u{c:04X}" for c in range(0x20)) + '"', None),
    ("string-nul", r'"a\u0000b"', r'"a\u0000b"'),
    ("string-delete-stands-for-itself", '"\\u007f"', '"\x7f"'),
    ("string-delete-raw", '"\x7f"', '"\x7f"'),
    ("string-slash", r'"<\/script>"', '"</script>"'),
    ("string-u-form-of-ascii", r'"\u0041\u0062\u005C\u0022"', r'"Ab\\\""'),
    ("string-two-byte-utf8", '"\u00e9\u07ff"', None),
    ("string-three-byte-utf8", '"\u0800\u20ac\ud7ff\ue000\uffff"', None),
    ("string-four-byte-utf8", '"\U00010000\U0001f600\U0010ffff"', None),
    ("string-surrogate-pair-escaped", r'"\ud83d\ude00"', '"\U0001f600"'),
    ("string-surrogate-pair-upper-case", r'"\uD83D\uDE00\uDBFF\uDFFF"', '"\U0001f600\U0010ffff"'),
    ("string-first-and-last-pair", r'"\ud800\udc00\udbff\udfff"', '"\U00010000\U0010ffff"'),
    ("string-noncharacter", r'"\uffff\ufffe"', '"\uffff\ufffe"'),
    ("string-byte-order-mark-inside", '"\ufeff"', '"\ufeff"'),
    ("string-line-separators", '"\u2028\u2029"', '"\u2028\u2029"'),
    ("string-combining-is-not-normalized", '["e\u0301","\u00e9"]', '["e\u0301","\u00e9"]'),
    ("string-mixed", '"a\u00e9\\u00e9\U0001f600\\n\\u0001\u20ac$"', None),
    ("keys-sorted", '{"b":1,"a":2}', '{"a":2,"b":1}'),
    ("keys-prefix-first", '{"ab":1,"a":2,"":3,"abc":4}', '{"":3,"a":2,"ab":1,"abc":4}'),
    ("keys-case", '{"a":1,"A":2,"_":3,"Z":4}', '{"A":2,"Z":4,"_":3,"a":1}'),
    ("keys-digits-are-text", '{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'),
    ("keys-utf16-order", '{"\ufb33":1,"\U0001f600":2,"\ue000":3,"\ud7ff":4}',
     '{"\ud7ff":4,"\U0001f600":2,"\ue000":3,"\ufb33":1}'),
    ("keys-utf16-order-after-prefix", '{"x\uffff":1,"x\U00010000":2}', '{"x\U00010000":2,"x\uffff":1}'),
    ("keys-utf16-among-supplementary", '{"\U0010ffff":1,"\U00010000":2,"\U0001f600":3}', None),
    ("keys-utf16-lead-ee-and-ef", '{"\uf000":1,"\ue000":2,"\uefff":3,"\U0010ffff":4,"\ucfff":5}', None),
    ("keys-nfc-and-nfd-are-two", '{"\u00e9":1,"e\u0301":2}', '{"e\u0301":2,"\u00e9":1}'),
    ("keys-escaped-spelling", r'{"\u0062":1,"\u0061":2}', '{"a":2,"b":1}'),
    ("keys-control-before-space", '{" ":1,"\\n":2,"\\u0000":3,"!":4}', '{"\\u0000":3,"\\n":2," ":1,"!":4}'),
    ("keys-quote-and-backslash", r'{"\\":1,"\"":2,"]":3,"[":4,"#":5}', None),
    ("keys-control-order-not-escape-order", r'{"\t":1,"\u0001":2,"\u001f":3,"\b":4}', None),
    ("keys-sorted-on-every-level", '{"z":{"b":[{"y":1,"x":2}],"a":3},"a":{"d":1,"c":2}}', None),
    ("array-order-is-kept", '[3,1,2,{"b":0,"a":0},"z","a"]', '[3,1,2,{"a":0,"b":0},"z","a"]'),
    ("object-forty-members", "{" + ",".join(f'"k{(i * 17) % 40}":{i}' for i in range(40)) + "}", None),
    ("same-key-in-different-objects", '[{"a":1},{"a":{"a":2}}]', '[{"a":1},{"a":{"a":2}}]'),
    ("white-space-of-all-kinds", " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", "[1,2]"),
    ("nesting-512", "[" * 512 + "]" * 512, "[" * 512 + "]" * 512),
    ("nesting-512-objects", '{"a":' * 511 + "{}" + "}" * 511, None),
    ("number-zero", "[0,-0,0.0,-0.0,0e5,0E-5,0.000e+9]", "[0,0,0,0,0,0,0]"),
    ("number-integers", "[1,-1,10,100,1234567890,-42]", "[1,-1,10,100,1234567890,-42]"),
    ("number-fifteen-digits", "[123456789012345,999999999999999,-999999999999999]", None),
    ("number-around-2-53", "[9007199254740991,9007199254740992,9007199254740993,-9007199254740993]",
     "[9007199254740991,9007199254740992,9007199254740992,-9007199254740992]"),
    ("number-large-integers", "[1e20,123456789012345678901,100000000000000000000,1e21,1000000000000000000000]",
     "[100000000000000000000,123456789012345680000,100000000000000000000,1e+21,1e+21]"),
    ("number-int64-limits", "[9223372036854775807,-9223372036854775808,18446744073709551615]", None),
    ("number-fractions", "[0.5,-0.25,1.5,100.125,0.1,0.2,0.30000000000000004]", None),
    ("number-trailing-zeros", "[1.0,1.50,100.000,0.10]", "[1,1.5,100,0.1]"),
    ("number-exponents", "[1e0,1E1,1e+2,1e-2,12.5e3,12.5e-3,1e05]", "[1,10,100,0.01,12500,0.0125,100000]"),
    ("number-plain-above-1e-7", "[1e-6,0.000001,1.5e-6,9.99e-6]", "[0.000001,0.000001,0.0000015,0.00000999]"),
    ("number-exponent-below-1e-6", "[1e-7,0.0000001,1.5e-7,9.99e-7]", "[1e-7,1e-7,1.5e-7,9.99e-7]"),
    ("number-exponent-of-all-lengths", "[1e22,1e100,1.5e300,1e-9,1e-10,1e-100,1.25e-300]", None),
    ("number-underflow", "[1e-400,-1e-400,2e-324]", "[0,0,0]"),
    ("number-subnormal", "[5e-324,4.9e-324,3e-324,2.2250738585072014e-308,2.225073858507201e-308,1e-310]", None),
    ("number-largest", "[1.7976931348623157e308,-1.7976931348623157E+308,179769313486231580e291]", None),
    ("number-rounds-to-largest", "[1.797693134862315807e308]", "[1.7976931348623157e+308]"),
    ("number-below-halfway-to-infinity", "[1.7976931348623158079372897140530341e308]", "[1.7976931348623157e+308]"),
    ("number-seventeen-digits", "[0.10000000000000001,333333333.33333329,5.000000000000001,1.7320508075688772]", None),
    ("number-many-digits", "[3.14159265358979323846264338327950288419716939937510,0." + "3" * 60 + "]", None),
    ("number-many-zeros", "[1" + "0" * 60 + "e-60,0." + "0" * 60 + "1e61]", "[1,1]"),
    ("number-huge-exponent-of-zero", "[0e99999999999999999999,0.0e-99999999999999999999]", "[0,0]"),
    ("number-halfway", "[9007199254740995,9007199254740997.5,1.00000000000000011102230246251565]", None),
    ("appendix-b", "[" + ",".join(line.split()[1] for line in APPENDIX_B.strip().splitlines()) + "]", None),
]

# Name, text, code, offset. One fault each.
REJECT = [
    ("syntax-empty", b"", "syntax", 0),
    ("syntax-white-space-only", b" \n ", "syntax", 3),
    ("syntax-bare-word", b"hello", "syntax", 0),
    ("syntax-capital-literal", b"True", "syntax", 0),
    ("syntax-literal-misspelled", b"trye", "syntax", 2),
    ("syntax-literal-cut", b"[fals", "syntax", 5),
    ("syntax-literal-too-long", b"nulll", "syntax", 4),
    ("syntax-nan", b"[NaN]", "syntax", 1),
    ("syntax-infinity", b"[-Infinity]", "syntax", 2),
    ("syntax-single-quotes", b"['a']", "syntax", 1),
    ("syntax-comment", b"[1/*x*/]", "syntax", 2),
    ("syntax-vertical-tab", b"[1,\x0b2]", "syntax", 3),
    ("syntax-form-feed", b"\x0c1", "syntax", 0),
    ("syntax-nul-byte", b"1\x00", "syntax", 1),
    ("syntax-no-break-space", b"[1,\xc2\xa02]", "syntax", 3),
    ("syntax-two-values", b"1 2", "syntax", 2),
    ("syntax-two-objects", b"{}{}", "syntax", 2),
    ("syntax-value-after-array", b"[1]1", "syntax", 3),
    ("syntax-bracket-after-value", b"1]", "syntax", 1),
    ("syntax-array-open", b"[1", "syntax", 2),
    ("syntax-array-open-after-comma", b"[1,", "syntax", 3),
    ("syntax-array-trailing-comma", b"[1,]", "syntax", 3),
    ("syntax-array-leading-comma", b"[,1]", "syntax", 1),
    ("syntax-array-double-comma", b"[1,,2]", "syntax", 3),
    ("syntax-array-missing-comma", b"[1 2]", "syntax", 3),
    ("syntax-array-colon", b'["a":1]', "syntax", 4),
    ("syntax-array-ended-as-object", b"[1}", "syntax", 2),
    ("syntax-empty-array-ended-as-object", b"[}", "syntax", 1),
    ("syntax-object-open", b"{", "syntax", 1),
    ("syntax-object-ended-as-array", b'{"a":1]', "syntax", 6),
    ("syntax-empty-object-ended-as-array", b"{]", "syntax", 1),
    ("syntax-object-trailing-comma", b'{"a":1,}', "syntax", 7),
    ("syntax-object-leading-comma", b'{,"a":1}', "syntax", 1),
    ("syntax-object-missing-comma", b'{"a":1 "b":2}', "syntax", 7),
    ("syntax-object-missing-colon", b'{"a" 1}', "syntax", 5),
    ("syntax-object-double-colon", b'{"a"::1}', "syntax", 5),
    ("syntax-object-missing-value", b'{"a":}', "syntax", 5),
    ("syntax-object-key-only", b'{"a"}', "syntax", 4),
    ("syntax-object-cut-after-key", b'{"a"', "syntax", 4),
    ("syntax-object-cut-after-colon", b'{"a":', "syntax", 5),
    ("syntax-object-number-key", b"{1:2}", "syntax", 1),
    ("syntax-object-bare-key", b"{a:1}", "syntax", 1),
    ("syntax-object-null-key", b"{null:1}", "syntax", 1),
    ("syntax-string-open", b'"abc', "syntax", 4),
    ("syntax-string-open-after-escape", b'"abc\\"', "syntax", 6),
    ("syntax-string-cut-at-backslash", b'"abc\\', "syntax", 5),
    ("syntax-string-raw-newline", b'"a\nb"', "syntax", 2),
    ("syntax-string-raw-tab", b'"12345678\tb"', "syntax", 9),
    ("syntax-string-raw-nul", b'"\x00"', "syntax", 1),
    ("syntax-string-raw-1f", b'"a\x1f"', "syntax", 2),
    ("syntax-escape-unknown", b'"\\x41"', "syntax", 2),
    ("syntax-escape-apostrophe", b"\"\\'\"", "syntax", 2),
    ("syntax-escape-capital-u", b'"\\U0041"', "syntax", 2),
    ("syntax-escape-u-short", b'"\\u041"', "syntax", 6),
    ("syntax-escape-u-no-hex", b'"\\u00g1"', "syntax", 5),
    ("syntax-escape-u-cut", b'"\\u00', "syntax", 5),
    ("syntax-escape-raw-newline", b'"\\\n"', "syntax", 2),
    ("syntax-escape-pair-cut", b'"\\ud83d\\ud', "syntax", 10),
    ("syntax-number-leading-zero", b"01", "syntax", 1),
    ("syntax-number-negative-leading-zero", b"[-01]", "syntax", 3),
    ("syntax-number-plus", b"+1", "syntax", 0),
    ("syntax-number-minus-alone", b"-", "syntax", 1),
    ("syntax-number-minus-twice", b"--1", "syntax", 1),
    ("syntax-number-point-first", b".5", "syntax", 0),
    ("syntax-number-minus-point", b"-.5", "syntax", 1),
    ("syntax-number-point-last", b"[1.]", "syntax", 3),
    ("syntax-number-two-points", b"1.2.3", "syntax", 3),
    ("syntax-number-no-exponent", b"[1e]", "syntax", 3),
    ("syntax-number-exponent-sign-only", b"1e+", "syntax", 3),
    ("syntax-number-exponent-fraction", b"1e1.5", "syntax", 3),
    ("syntax-number-hexadecimal", b"0x10", "syntax", 1),
    ("syntax-number-underscore", b"1_000", "syntax", 1),
    ("syntax-number-letters", b"12a", "syntax", 2),
    ("syntax-byte-order-mark-inside", b"[\xef\xbb\xbf1]", "syntax", 1),
    ("byte-order-mark", b"\xef\xbb\xbf{}", "byte_order_mark", 0),
    ("byte-order-mark-only", b"\xef\xbb\xbf", "byte_order_mark", 0),
    ("utf8-continuation-alone", b'"a\x80"', "utf8", 2),
    ("utf8-lead-alone", b'"a\xc3"', "utf8", 2),
    ("utf8-overlong-two", b'"\xc0\xaf"', "utf8", 1),
    ("utf8-overlong-two-c1", b'"\xc1\xbf"', "utf8", 1),
    ("utf8-overlong-three", b'"\xe0\x9f\xbf"', "utf8", 1),
    ("utf8-overlong-four", b'"\xf0\x8f\xbf\xbf"', "utf8", 1),
    ("utf8-surrogate-high", b'"\xed\xa0\x80"', "utf8", 1),
    ("utf8-surrogate-pair", b'"\xed\xa0\xbd\xed\xb8\x80"', "utf8", 1),
    ("utf8-above-10ffff", b'"\xf4\x90\x80\x80"', "utf8", 1),
    ("utf8-lead-f5", b'"\xf5\x80\x80\x80"', "utf8", 1),
    ("utf8-byte-ff", b'"\xff"', "utf8", 1),
    ("utf8-three-cut", b'"\xe2\x82"', "utf8", 1),
    ("utf8-three-bad-last", b'"12345678\xe2\x82x"', "utf8", 9),
    ("utf8-four-cut-at-end", b'"\xf0\x9f\x98', "utf8", 1),
    ("utf8-latin-1", b'["caf\xe9"]', "utf8", 5),
    ("utf8-outside-string", b"[\xff]", "utf8", 1),
    ("utf8-in-key", b'{"\x80":1}', "utf8", 2),
    ("utf8-after-value", b"{}\xfe", "utf8", 2),
    ("utf8-utf16-text", "\ufeff{}".encode("utf-16-le"), "utf8", 0),
    ("surrogate-high-alone", b'"\\ud83d"', "surrogate", 1),
    ("surrogate-low-alone", b'"\\ude00"', "surrogate", 1),
    ("surrogate-high-then-text", b'"a\\ud83dabcdefgh"', "surrogate", 2),
    ("surrogate-high-twice", b'"\\ud83d\\ud83d"', "surrogate", 1),
    ("surrogate-high-then-other-escape", b'"\\ud83d\\n"', "surrogate", 1),
    ("surrogate-high-then-ascii-escape", b'"\\ud83d\\u0041"', "surrogate", 1),
    ("surrogate-low-then-high", b'"\\ude00\\ud83d"', "surrogate", 1),
    ("surrogate-after-pair", b'"\\ud83d\\ude00\\ude00"', "surrogate", 13),
    ("surrogate-in-key", b'{"\\udfff":1}', "surrogate", 2),
    ("surrogate-limits", b'"\\udbff\\ue000"', "surrogate", 1),
    ("duplicate-key", b'{"a":1,"a":2}', "duplicate_key", 7),
    ("duplicate-key-empty", b'{"":1,"":2}', "duplicate_key", 6),
    ("duplicate-key-equal-members", b'{"a":1,"a":1}', "duplicate_key", 7),
    ("duplicate-key-after-unescaping", b'{"a":1,"\\u0061":2}', "duplicate_key", 7),
    ("duplicate-key-escaped-first", b'{"\\u000a":1,"\\n":2}', "duplicate_key", 12),
    ("duplicate-key-supplementary", b'{"\xf0\x9f\x98\x80":1,"\\uD83D\\uDE00":2}', "duplicate_key", 10),
    ("duplicate-key-far-apart", b'{"a":1,"b":2,"c":3,"a":4}', "duplicate_key", 19),
    ("duplicate-key-in-nested-object", b'[{"x":{"a":1,"b":2,"a":3}}]', "duplicate_key", 19),
    ("duplicate-key-after-nested-object", b'{"a":{"a":1},"a":2}', "duplicate_key", 13),
    ("duplicate-key-three-times", b'{"a":1,"a":2,"a":3}', "duplicate_key", 7),
    ("duplicate-key-among-many",
     ("{" + ",".join(f'"k{i}":{i}' for i in range(100)) + ',"k37":0}').encode(), "duplicate_key", 881),
    ("number-range", b"[1e400]", "number_range", 1),
    ("number-range-negative", b"[-1e400]", "number_range", 1),
    ("number-range-just-above", b"[1.7976931348623159e308]", "number_range", 1),
    ("number-range-above-halfway", b"1.7976931348623158079372897140530342e308", "number_range", 0),
    ("number-range-many-digits", b"[" + b"9" * 400 + b"]", "number_range", 1),
    ("number-range-huge-exponent", b'{"a":1e99999999999999999999}', "number_range", 5),
    ("number-range-small-mantissa", b"0.0001e400", "number_range", 0),
    ("depth-513-arrays", b"[" * 513 + b"]" * 513, "depth", 512),
    ("depth-513-objects", b'{"a":' * 512 + b"{}" + b"}" * 512, "depth", 2560),
    ("depth-mixed", b'[{"a":' * 256 + b"[]" + b"}]" * 256, "depth", 1536),
]

# Name, text, code, offset. Right JSON with one deviation, or with one that comes before a fault.
NONCANONICAL = [
    ("white-space-before", b" {}", "white_space", 0),
    ("white-space-after", b"{}\n", "white_space", 2),
    ("white-space-in-empty-array", b"[ ]", "white_space", 1),
    ("white-space-in-empty-object", b"{\t}", "white_space", 1),
    ("white-space-after-bracket", b"[ 1]", "white_space", 1),
    ("white-space-before-comma", b"[1 ,2]", "white_space", 2),
    ("white-space-after-comma", b"[1, 2]", "white_space", 3),
    ("white-space-before-bracket", b"[1\r\n]", "white_space", 2),
    ("white-space-before-key", b'{ "a":1}', "white_space", 1),
    ("white-space-before-colon", b'{"a" :1}', "white_space", 4),
    ("white-space-after-colon", b'{"a": 1}', "white_space", 5),
    ("white-space-after-member-comma", b'{"a":1, "b":2}', "white_space", 7),
    ("white-space-before-brace", b'{"a":1 }', "white_space", 6),
    ("white-space-alone", b" ", "white_space", 0),
    ("key-order-two", b'{"b":1,"a":2}', "key_order", 7),
    ("key-order-prefix", b'{"ab":1,"a":2}', "key_order", 8),
    ("key-order-empty-key", b'{"a":1,"":2}', "key_order", 7),
    ("key-order-case", b'{"a":1,"B":2}', "key_order", 7),
    ("key-order-utf8-not-utf16", '{"\ufb33":1,"\U0001f600":2}'.encode(), "key_order", 9),
    ("key-order-utf16-after-prefix", '{"x\ue000":1,"x\U00010000":2}'.encode(), "key_order", 10),
    ("key-order-bmp", '{"\u20ac":1,"\u00f6":2}'.encode(), "key_order", 9),
    ("key-order-escaped-control", b'{"\\n":1,"\\t":2}', "key_order", 8),
    ("key-order-escape-letter-misleads", b'{"\\f":1,"\\b":2}', "key_order", 8),
    ("key-order-quote-after-letter", b'{"a":1,"\\"":2}', "key_order", 7),
    ("key-order-backslash-before-bracket", b'{"]":1,"\\\\":2}', "key_order", 7),
    ("key-order-nested", b'{"a":{"z":1,"y":2}}', "key_order", 12),
    ("key-order-after-nested", b'{"m":{"z":1},"a":2}', "key_order", 13),
    ("key-order-before-escape-in-same-key", b'{"b":1,"\\u0061":2}', "key_order", 7),
    ("key-order-repeats-an-earlier-key", b'{"a":1,"b":2,"a":3}', "key_order", 13),
    ("escape-slash", b'"a\\/b"', "escape", 2),
    ("escape-letter", b'"\\u0041"', "escape", 1),
    ("escape-quote-in-u-form", b'"\\u0022"', "escape", 1),
    ("escape-backslash-in-u-form", b'"\\u005c"', "escape", 1),
    ("escape-backspace-in-u-form", b'"\\u0008"', "escape", 1),
    ("escape-tab-in-u-form", b'"\\u0009"', "escape", 1),
    ("escape-newline-in-u-form", b'"\\u000a"', "escape", 1),
    ("escape-form-feed-in-u-form", b'"\\u000c"', "escape", 1),
    ("escape-return-in-u-form", b'"\\u000d"', "escape", 1),
    ("escape-upper-case-hex", b'"\\u001F"', "escape", 1),
    ("escape-delete", b'"\\u007f"', "escape", 1),
    ("escape-space", b'"12345678\\u0020"', "escape", 9),
    ("escape-euro", b'"\\u20ac"', "escape", 1),
    ("escape-surrogate-pair", b'"\\ud83d\\ude00"', "escape", 1),
    ("escape-in-key", b'{"\\u0061":1}', "escape", 2),
    ("escape-before-lone-surrogate", b'"\\/\\ud800"', "escape", 1),
    ("escape-before-unfinished", b'"\\/', "escape", 1),
    ("number-negative-zero", b"[-0]", "number", 1),
    ("number-fraction-zero", b"1.0", "number", 0),
    ("number-zero-fraction", b"[0.0]", "number", 1),
    ("number-trailing-zero", b"1.50", "number", 0),
    ("number-exponent-zero", b"1e0", "number", 0),
    ("number-exponent-small", b"1e2", "number", 0),
    ("number-zero-with-exponent", b"0e1", "number", 0),
    ("number-upper-case-e", b"1E+21", "number", 0),
    ("number-no-exponent-sign", b"1e21", "number", 0),
    ("number-exponent-leading-zero", b"1e-07", "number", 0),
    ("number-plain-1e21", b"1000000000000000000000", "number", 0),
    ("number-exponent-1e20", b"1e+20", "number", 0),
    ("number-plain-1e-7", b"0.0000001", "number", 0),
    ("number-exponent-1e-6", b"1e-6", "number", 0),
    ("number-two-integer-digits", b"12e+30", "number", 0),
    ("number-no-integer-digit", b"0.12e+30", "number", 0),
    ("number-mantissa-zero-fraction", b"1.0e+30", "number", 0),
    ("number-too-many-digits", b"0.10000000000000001", "number", 0),
    ("number-not-nearest-of-seventeen", b"5.0000000000000009", "number", 0),
    ("number-2-53-plus-1", b"9007199254740993", "number", 0),
    ("number-eighteen-digits", b"123456789012345678", "number", 0),
    ("number-subnormal-not-shortest", b"4.9e-324", "number", 0),
    ("number-subnormal-three-digits", b"1.01e-322", "number", 0),
    ("number-underflow", b"1e-400", "number", 0),
    ("number-before-syntax", b"[1.0}", "number", 1),
    ("white-space-before-duplicate", b'{"a":1, "a":2}', "white_space", 7),
    ("white-space-before-syntax", b"[1 x", "white_space", 2),
]


def check_tables():
    """What can be checked here: the stated against the derived, offsets, and that Python agrees on what is JSON."""
    for line in APPENDIX_B.strip().splitlines():
        bits, text = line.split()
        assert number_text(struct.unpack(">d", bytes.fromhex(bits))[0]) == text, line
    for name, text, stated in ACCEPT:
        derived = canonical(parse(text))
        assert stated is None or stated == derived, (name, stated, derived)
        assert canonical(parse(derived)) == derived, name
    for name, text, code, offset in REJECT:
        assert 0 <= offset <= len(text), name
        assert code != "duplicate_key" or text[offset:offset + 1] == b'"', name
        if code == "utf8":
            try:
                text.decode()
                assert False, name
            except UnicodeDecodeError as error:
                assert error.start == offset, (name, error.start)
        elif code == "number_range":
            assert "inf" in repr(json.loads(text, parse_int=float)), name
        elif code == "syntax" and name not in ("syntax-nan", "syntax-infinity"):
            try:
                json.loads(text.decode())
                assert False, name
            except json.JSONDecodeError:
                pass
    for name, text, code, offset in NONCANONICAL:
        assert 0 <= offset < len(text), name
        assert code != "key_order" or text[offset:offset + 1] == b'"', name
        assert code != "escape" or text[offset:offset + 1] == b"\\", name
    for table in (ACCEPT, REJECT, NONCANONICAL):
        assert len({row[0] for row in table}) == len(table)


def folder(name):
    path = HERE / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path


def main():
    check_tables()
    accept = folder("accept")
    for name, text, _ in ACCEPT:
        output = canonical(parse(text)).encode()
        (accept / f"{name}.in").write_bytes(text.encode())
        (accept / f"{name}.out").write_bytes(output)
        (accept / f"{name}.hex").write_text(output.hex() + "\n")
    for name, table in (("reject", REJECT), ("noncanonical", NONCANONICAL)):
        path = folder(name)
        for case, text, code, offset in table:
            (path / f"{case}.json").write_bytes(text)
            (path / f"{case}.expect").write_text(f"{code} {offset}\n")
    (HERE / "appendix-b.txt").write_text(APPENDIX_B.lstrip())
    print(len(ACCEPT), "accepted,", len(REJECT), "rejected,", len(NONCANONICAL), "not canonical")


if __name__ == "__main__":
    main()
