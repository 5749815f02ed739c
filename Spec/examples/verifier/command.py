"""The command line of the verifier."""

import argparse
import json
import os
import shutil
import sys
import tempfile

from . import signatures
from .files import verify_export
from .lines import UnreleasedFormat


def verify_path(path):
    """Verifies a file by its name; - is standard input."""
    return verify_export_path(path)[0]


def verify_export_path(path):
    """The same, and the export that was found."""
    if path == "-":
        return verify_export(seekable(sys.stdin.buffer))
    if not os.path.isfile(path) and os.path.exists(path):
        raise OSError("not a regular file")
    with open(path, "rb") as file:
        return verify_export(file, os.path.basename(path), sidecar_of(path))


def signed(result, export, path, options):
    """Adds to a result who signed the file (Spec/signatures.md)."""
    file = options.signature or path + ".sig"
    answer = result["signature"] = {"file": file, "status": "unknown"}
    code = principals = None
    if options.signature is None and not os.path.lexists(file):
        code = "signature.unsigned"
    else:
        data, text = read_file(file), signatures.statement(result, export)
        if result["result"] != "ok":
            signatures.Signature(data)
            return
        if text is None:
            code = "signature.statement"
        else:
            identity = None if options.identity is None else options.identity.encode("utf-8", "surrogateescape")
            code, principals = signatures.check(data, text, read_file(options.allowed_signers), identity)
    answer["status"] = "ok" if code is None else "failed"
    if principals is not None:
        answer["principals"] = shown(principals.decode("utf-8", "surrogateescape"))
    if code is None:
        result["verdict"] += "; signed by the key that your allowed signers file calls %s" % answer["principals"]
        return
    result["findings"] = result["findings"] + [{"code": code}]
    result.update(result="findings", verdict="%s; else %s" % ("not signed" if code == "signature.unsigned" else "signature invalid", result["verdict"]))


def read_file(path):
    """The bytes of a file, one more than any limit at most."""
    with open(path, "rb") as file:
        return file.read(signatures.SIGNERS_LIMIT + 1)


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


def print_statement(text, name, path, verdict):
    """Prints a statement, or why there is none."""
    if text is None:
        print("%s: error: %s: %s, so it has no statement" % (name, path, verdict), file=sys.stderr)
        return 1
    print(text, end="", flush=True)
    return 0


def main(arguments, name="verify_bundle"):
    parser = argparse.ArgumentParser(
        prog=name, description="Verify recovery bundles and reports without an archive.",
        epilog="exit status: 0 valid, 1 invalid: at least one finding, 2 could not be done")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a bundle or a report; - is standard input")
    parser.add_argument("--statement", action="store_true", help="print what a signature of the file covers")
    parser.add_argument("--allowed-signers", metavar="FILE", help="check the signature FILE.sig with the keys of this file")
    parser.add_argument("--signature", metavar="FILE", help="the signature, if it is not FILE.sig")
    parser.add_argument("--identity", metavar="NAME", help="accept only a key that the allowed signers file gives this name")
    options = parser.parse_args(arguments)
    if options.statement and (len(options.files) > 1 or options.json or options.allowed_signers):
        parser.error("--statement is of one file, and prints nothing else")
    if (options.signature or options.identity) and not options.allowed_signers or options.signature and len(options.files) > 1:
        parser.error("--signature is of one file, and --signature and --identity need --allowed-signers")
    results, status = [], 0
    if options.allowed_signers:
        try:
            signatures.signers_of(read_file(options.allowed_signers))
        except (OSError, signatures.Unreadable) as error:
            print("%s: error: %s: %s" % (name, shown(options.allowed_signers), getattr(error, "strerror", None) or error), file=sys.stderr)
            return 2
    for path in options.files:
        try:
            result, export = verify_export_path(path)
            if options.statement:
                return print_statement(signatures.statement(result, export), name, shown(path), result["verdict"])
            if options.allowed_signers:
                signed(result, export, path, options)
            results.append({"file": path, **result})
        except (OSError, UnreleasedFormat, signatures.Unreadable) as error:
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
