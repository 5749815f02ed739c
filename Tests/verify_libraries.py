#!/usr/bin/env python3
"""The libraries as another package uses them: the example package is built and run, and the code of each article compiles.

The modules are those beside the tools (.build/release, or the folder that HP_TOOLS names). The last line is
`N passed, N failed`.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release")).resolve()
EXAMPLE = ROOT / "Examples" / "canonical"
VECTORS = ROOT / "Fixtures" / "canonical-json"
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINKS = re.compile(r"(?<!`)``([A-Za-z0-9]+)")
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def run(*command, **options):
    return subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def check_example():
    scratch = ROOT / ".build" / "example"
    built = run("swift", "build", "--package-path", EXAMPLE, "--scratch-path", scratch, stdin=subprocess.DEVNULL)
    check("the example is built: %s" % built.stdout[-800:].decode(), built.returncode == 0)
    if built.returncode:
        return
    # Texts of one line; the canonical forms were worked out elsewhere (Fixtures/canonical-json/generate.py).
    pairs = [(path.read_bytes(), path.with_suffix(".out").read_bytes()) for path in sorted((VECTORS / "accept").glob("*.in"))]
    pairs = [(text, canonical) for text, canonical in pairs if b"\n" not in text and b"\r" not in text]
    check("there are texts to try: %d" % len(pairs), len(pairs) > 3)
    result = run(scratch / "debug" / "canonical", input=b"".join(text + b"\n" for text, _ in pairs) + b'{"a":}\n')
    same = sum(text == canonical for text, canonical in pairs)
    expected = [canonical for _, canonical in pairs]
    lines = result.stdout.split(b"\n")
    check("the canonical forms are printed", lines[:len(pairs)] == expected)
    check("what is no JSON is named: %s" % lines[len(pairs)], lines[len(pairs)].startswith(b"line %d: " % (len(pairs) + 1)))
    check("and counted: %s" % lines[-2], lines[-2:] == [b'{"already_canonical":%d,"invalid":1,"texts":%d}' % (same, len(pairs) + 1), b""] and result.returncode == 0)


def check_articles():
    maps = [flag for name in ("CSQLite", "CZstd", "COpenSSL", "CExpat", "CZip") for flag in ("-Xcc", "-fmodule-map-file=%s" % (ROOT / "Sources" / name / "module.modulemap"))]
    articles = sorted(ROOT.glob("Sources/*/*.docc/*.md"))
    products = set(re.findall(r'\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text(encoding="utf-8")))
    check("each library has an article: %s" % products, {path.stem for path in articles} == products)
    for article in articles:
        text = article.read_text(encoding="utf-8")
        check("%s: its title is its module" % article.stem, text.startswith("# ``%s``\n" % article.stem))
        blocks = BLOCK.findall(text)
        check("%s: has code" % article.stem, blocks)
        for number, block in enumerate(blocks):
            with tempfile.TemporaryDirectory(prefix="hp-article.") as folder:
                file = pathlib.Path(folder, "main.swift")
                file.write_text(block, encoding="utf-8")
                result = run("swiftc", "-typecheck", "-swift-version", "6", "-I", TOOLS / "Modules", *maps, file, stdin=subprocess.DEVNULL)
                check("%s: code %d compiles: %s" % (article.stem, number + 1, result.stdout[-600:].decode()), result.returncode == 0)
        sources = "".join(path.read_text(encoding="utf-8") for name in (article.stem, "Preimages") for path in (ROOT / "Sources" / name).rglob("*.swift"))
        for name in set(LINKS.findall(text)) - {article.stem}:
            check("%s: %s is public there" % (article.stem, name), re.search(r"public (?:\w+ )*%s\b" % name, sources))


def main():
    check_articles()
    check_example()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
