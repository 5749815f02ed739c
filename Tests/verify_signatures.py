#!/usr/bin/env python3
"""Runs the independent verifier over Spec/vectors/signatures.json, and OpenSSH over what it can judge.

Each vector gives exactly its code, or is refused as stated. `ssh-keygen -Y verify` accepts every good one that names an
identity, and no other. The last line is `N passed, N failed`.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests")]
sys.dont_write_bytecode = True

import schemas  # noqa: E402
import vectors  # noqa: E402

SIGNATURES = vectors.SIGNATURES
# OpenSSH 9.2 accepts these and Spec/signatures.md refuses them: a reserved field, text behind the armor, unused bits, an
# older version, a large scalar, short RSA keys, times of the local zone, days that there are not, lines it does not reach.
STRICTER = {"reserved", "after-end", "base64-bits", "version-0", "scalar-large", "rsa-1024", "rsa-2047", "signers-leap", "signers-local", "signers-later"}
passed = failed = 0


def check(holds, text):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("FAIL " + text)


def written(vector, folder):
    """The files of a vector: a copy of the file, its signature, the allowed signers."""
    source = vectors.ROOT / vector["file"]
    file, signers = folder / source.name, folder / "allowed_signers"
    shutil.copyfile(source, file)
    if (source.parent / (source.name + "-metadata.json")).exists():
        shutil.copyfile(source.parent / (source.name + "-metadata.json"), folder / (source.name + "-metadata.json"))
    signers.write_bytes(vector["allowed_signers"].encode())
    if vector["signature"] is not None:
        (folder / (source.name + ".sig")).write_bytes(vector["signature"].encode())
    return [file, "--allowed-signers", signers, *(["--identity", vector["identity"]] if "identity" in vector else [])]


def check_vector(vector, name, command, validator):
    """What a verifier says of a vector."""
    with tempfile.TemporaryDirectory(prefix="hp-signatures.") as folder:
        arguments = written(vector, pathlib.Path(folder))
        result = subprocess.run([*command, "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    name = "%s: %s" % (name, vector["name"])
    check(result.returncode == {"ok": 0, "findings": 1, "failed": 2}[vector["result"]], "%s: status %d\n%s" % (name, result.returncode, result.stderr))
    if vector["name"].startswith("signers-") and not result.stdout:
        check("allowed_signers: line " in result.stderr, "%s: %s" % (name, result.stderr))
        return result.stderr
    value = json.loads(result.stdout)
    validator.validate(value)
    (value,) = value["files"]
    check(value["result"] == vector["result"], "%s: %s" % (name, value))
    codes = [finding["code"] for finding in value.get("findings", [])]
    found = [code for code in codes if code.startswith("signature.")]
    check(found == ([vector["code"]] if "code" in vector else []), "%s: %s" % (name, codes))
    if vector["result"] == "failed":
        return result.stderr
    is_unknown = vector["result"] == "findings" and "code" not in vector
    check(value["signature"]["status"] == ("ok" if vector["result"] == "ok" else "unknown" if is_unknown else "failed"), "%s: %s" % (name, value["signature"]))
    if vector["result"] == "ok":
        check(value["signature"]["principals"] == vector["principals"], "%s: %s" % (name, value["signature"]))
        check(value["verdict"].endswith("; signed by the key that your allowed signers file calls " + vector["principals"]), "%s: %s" % (name, value["verdict"]))
    return result.stderr


def check_openssh(vector, text):
    """Whether OpenSSH agrees, where it is asked the same question."""
    if vector["file"] != SIGNATURES["vectors"][0]["file"] or vector["signature"] is None or vector.get("error") == "unsupported":
        return
    identity = vector.get("identity", vector.get("principals", "ada@example.org"))
    identity = "ada@example.org" if "*" in identity else identity
    with tempfile.TemporaryDirectory(prefix="hp-signatures.") as folder:
        arguments = written(vector, pathlib.Path(folder))
        result = subprocess.run(["ssh-keygen", "-Y", "verify", "-n", "healthprobe-export", "-f", arguments[2], "-I", identity, "-s", str(arguments[0]) + ".sig"], input=text,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if vector["name"] in STRICTER:
        return
    check((result.returncode == 0) == (vector["result"] == "ok"), "ssh-keygen: %s: status %d: %s" % (vector["name"], result.returncode, result.stdout))


def main():
    names = [vector["name"] for vector in SIGNATURES["vectors"]]
    check(len(set(names)) == len(names), "two vectors have one name")
    check(sum(vector["result"] != "ok" for vector in SIGNATURES["vectors"]) >= 60, "there are few negative vectors")
    validator = schemas.validator("verify-result")
    tools = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release"))
    command = [sys.executable, "-B", str(ROOT / "Spec" / "examples" / "verify_bundle.py")]
    for name in ([*command, "--statement"], [tools / "hp-verify", "statement"]):
        said = subprocess.run([*name, vectors.ROOT / SIGNATURES["vectors"][0]["file"]], stdout=subprocess.PIPE, text=True).stdout
        check(said == SIGNATURES["statement"], "%s: the statement is %r" % (name, said))
    has_openssh = shutil.which("ssh-keygen") is not None
    for vector in SIGNATURES["vectors"]:
        check_vector(vector, "Python", command, validator)
        said = check_vector(vector, "hp-verify", [str(tools / "hp-verify"), "bundle"], validator)
        if vector["result"] == "failed":
            is_hinted = "ssh-keygen -Y verify" in said
            check(is_hinted == (vector["error"] == "unsupported"), "%s: hp-verify says %s" % (vector["name"], said))
        if has_openssh:
            check_openssh(vector, SIGNATURES["statement"])
    if not has_openssh:
        print("skipped: ssh-keygen is not installed")
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
