"""The command line of the verifier."""

import argparse
import json
import os
import shutil
import sys
import tempfile

from .files import verify
from .lines import UnreleasedFormat


def verify_path(path):
    """Verifies a file by its name; - is standard input."""
    if path == "-":
        return verify(seekable(sys.stdin.buffer))
    if not os.path.isfile(path) and os.path.exists(path):
        raise OSError("not a regular file")
    with open(path, "rb") as file:
        return verify(file, os.path.basename(path), sidecar_of(path))


def seekable(file):
    """A file that can be read from any place: the file itself, or a temporary copy of it."""
    if file.seekable():
        return file
    copy = tempfile.TemporaryFile()
    shutil.copyfileobj(file, copy, 1 << 20)
    return copy


def sidecar_of(name):
    """The bytes of the sidecar beside a file, or None."""
    path = name + "-metadata.json"
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def shown(text):
    """Text as part of a line: ASCII, and nothing that a build server takes for a command."""
    shown = ascii(text)[1:-1].replace("##[", "#\\x23[")
    return shown.replace(":", "\\x3a", 1) if shown.lstrip().startswith("::") else shown


def as_text(result):
    yield "%s: %s" % (shown(result["file"]), result["verdict"])
    words = {"ok": "OK", "failed": "FAILED"}
    yield "  " + "  ".join("%s %s" % (layer, words.get(status, status)) for layer, status in result["layers"].items())
    for finding in result["findings"]:
        places = ["%s %s" % (name, shown(str(value))[:200]) for name, value in finding.items() if name != "code"]
        yield "  %s: %s" % (finding["code"], ", ".join(places))


def main(arguments, name="verify_bundle"):
    parser = argparse.ArgumentParser(
        prog=name, description="Verify recovery bundles and reports without an archive.",
        epilog="exit status: 0 valid, 1 invalid: at least one finding, 2 could not be done")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a bundle or a report; - is standard input")
    options = parser.parse_args(arguments)
    results, status = [], 0
    for path in options.files:
        try:
            results.append({"file": path, **verify_path(path)})
        except (OSError, UnreleasedFormat) as error:
            text = "%s: %s" % (shown(path), getattr(error, "strerror", None) or error)
            print("%s: error: %s" % (name, text), file=sys.stderr)
            results.append({"error": text, "file": path, "result": "failed"})
            status = 2
    if any(result["result"] != "ok" for result in results):
        status = status or 1
    try:
        if options.json:
            print(json.dumps({"files": results}))
        else:
            for result in results:
                if result["result"] != "failed":
                    print("\n".join(as_text(result)))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print("%s: error: standard output: %s" % (name, error.strerror), file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return status
