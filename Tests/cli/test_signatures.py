"""Signatures (Spec/signatures.md): what ssh-keygen signs we verify, and what we sign ssh-keygen verifies, for each kind of key."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from support import ENVIRONMENT, ROOT, Case, hp_export, hp_verify, vectors

KINDS = [("ed25519", []), ("ecdsa", ["-b", "256"]), ("ecdsa", ["-b", "384"]), ("ecdsa", ["-b", "521"]), ("rsa", ["-b", "2048"])]
NAMESPACE = "healthprobe-export"


@unittest.skipUnless(shutil.which("ssh-keygen"), "ssh-keygen is not installed")
class SignatureCase(Case):
    def setUp(self):
        super().setUp()
        self.archive = self.fixture()
        self.bundle = self.folder / "out.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", self.bundle, "--quiet"))
        self.signature = self.folder / "out.jsonl.zst.sig"
        self.signers = self.folder / "signers"

    def key(self, kind="ed25519", *options, name="key"):
        key = self.folder / name
        subprocess.run(["ssh-keygen", "-q", "-t", kind, *options, "-N", "", "-C", "", "-f", key], check=True, stdin=subprocess.DEVNULL)
        return key

    def allow(self, key, names="ada@example.org", options=""):
        public = key.with_name(key.name + ".pub").read_text().split()[:2]
        self.signers.write_text(" ".join([names, *filter(None, [options]), *public]) + "\n")

    def verified(self, *options, status=0):
        result = hp_verify("bundle", self.bundle, "--allowed-signers", self.signers, "--json", *options)
        self.assertEqual(result.status, status, result)
        return json.loads(result.out)["files"][0]

    def assert_says(self, result, *words):
        """It could not be done, and standard error says why: ours, or that of the program that was run."""
        self.assertEqual((result.status, result.out), (2, b""), result)
        for word in words:
            self.assertIn(word, result.err)

    def statement(self):
        return self.assert_good(hp_verify("statement", self.bundle)).out


class Signing(SignatureCase):
    def test_each_kind_of_key_in_both_directions(self):
        for number, (kind, options) in enumerate(KINDS):
            with self.subTest(kind, options=options):
                key = self.key(kind, *options, name="key%d" % number)
                self.allow(key)
                result = self.assert_good(hp_export("sign", self.bundle, "--key", key))
                self.assertEqual(result.out, b"")
                theirs = subprocess.run(["ssh-keygen", "-Y", "verify", "-n", NAMESPACE, "-f", self.signers, "-I", "ada@example.org", "-s", self.signature],
                                        input=self.statement(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(theirs.returncode, 0, theirs.stdout)
                value = self.verified("--identity", "ada@example.org")
                listed = subprocess.run(["ssh-keygen", "-l", "-f", str(key) + ".pub"], check=True, stdout=subprocess.PIPE, text=True).stdout
                self.assertEqual(value["signature"], {"file": str(self.signature), "key": listed.split()[1], "principals": "ada@example.org", "status": "ok"})
                self.signature.unlink()
                # Their signature of a file that holds the statement.
                text = self.folder / ("statement%d" % number)
                self.assert_good(hp_verify("statement", self.bundle, "-o", text))
                self.assertEqual(text.read_bytes(), self.statement())
                for hash_name in ("sha256", "sha512"):
                    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-O", "hashalg=" + hash_name, "-n", NAMESPACE, "-f", key, text], check=True, stdin=subprocess.DEVNULL)
                    signature = pathlib.Path(str(text) + ".sig")
                    self.assertEqual(self.verified("--signature", signature)["result"], "ok")
                    signature.unlink()

    def test_another_container_has_the_same_statement(self):
        for options in (["--format", "jsonl"], ["--format", "json"], ["--format", "csv"]):
            name = self.folder / ("records." + options[1])
            self.assert_good(hp_export("records", self.archive, "-o", name, "--quiet", *options))
            statement = self.assert_good(hp_verify("statement", name)).out
            self.assertTrue(statement.startswith(b"healthprobe-export 1\nkind "), statement)
        again = self.folder / "again.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", again, "--level", "19", "--quiet"))
        self.assertNotEqual(again.read_bytes(), self.bundle.read_bytes())
        self.assertEqual(self.assert_good(hp_verify("statement", again)).out, self.statement())

    def test_a_signature_is_replaced_on_request_only(self):
        key = self.key()
        self.allow(key)
        self.signature.write_text("kept")
        self.assert_says(hp_export("sign", self.bundle, "--key", key), self.signature.name)
        self.assertEqual(self.signature.read_text(), "kept")
        self.assert_good(hp_export("sign", self.bundle, "--key", key, "--force"))
        self.assertEqual(self.verified()["result"], "ok")

    def test_an_invalid_file_is_not_signed(self):
        key, damaged = self.key(), self.folder / "damaged.zst"
        shutil.copyfile(vectors.path("manifest-hash"), damaged)
        result = hp_export("sign", damaged, "--key", key)
        self.assertEqual((result.status, result.out), (1, b""), result)
        self.assertIn("no statement", result.err)
        result = hp_verify("statement", damaged)
        self.assertEqual((result.status, result.out), (1, b""), result)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.sig")), [])

    def test_what_cannot_be_done(self):
        missing, other = self.folder / "missing", self.folder / "other"
        other.write_text("no key\n")
        self.assert_says(hp_export("sign", self.bundle, "--key", missing), "missing")
        self.assert_says(hp_export("sign", self.bundle, "--key", other), "other")
        self.assert_says(hp_export("sign", self.bundle), "--key")
        self.assert_says(hp_export("sign", missing, "--key", self.key()), "missing")
        self.assert_says(hp_export("sign", "-", "--key", self.folder / "key"), "standard output")
        self.assertFalse(self.signature.exists())

    def test_ssh_keygen_that_is_not_installed(self):
        key = self.key()
        result = hp_export("sign", self.bundle, "--key", key, env={**ENVIRONMENT, "PATH": str(self.folder)})
        self.assert_says(result, "ssh-keygen")
        self.assertFalse(self.signature.exists())

    def test_a_file_that_begins_with_a_dash(self):
        key = self.key()
        os.rename(self.bundle, self.folder / "-o.zst")
        self.assert_good(hp_export("sign", "--key", key, "--", "-o.zst", cwd=self.folder))
        self.assertTrue((self.folder / "-o.zst.sig").exists())

    def test_the_passphrase_is_asked_by_ssh_keygen(self):
        """Through SSH_ASKPASS, as there is no terminal; nothing of it is in our output."""
        key, asked = self.key(), self.folder / "ask"
        subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "a secret phrase", "-f", key], check=True)
        asked.write_text("#!/bin/sh\necho a secret phrase\n")
        asked.chmod(0o700)
        self.allow(key)
        environment = {**ENVIRONMENT, "SSH_ASKPASS": str(asked), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"}
        self.assert_good(hp_export("sign", self.bundle, "--key", key, env=environment))
        self.assertEqual(self.verified()["result"], "ok")


class Verifying(SignatureCase):
    def signed(self, **options):
        key = self.key()
        self.allow(key, **options)
        self.assert_good(hp_export("sign", self.bundle, "--key", key))
        return key

    def test_the_words(self):
        self.signed()
        result = self.assert_good(hp_verify("bundle", self.bundle, "--allowed-signers", self.signers))
        self.assertIn(b": valid: self-consistent; signed by the key that your allowed signers file calls ada@example.org\n", result.out)
        result = self.assert_good(hp_verify("bundle", self.bundle, "--allowed-signers", self.signers, "--archive", self.archive))
        self.assertIn(b": valid: matches the archive; signed by the key", result.out)

    def test_many_files_have_their_signatures_next_to_them(self):
        self.signed()
        other = self.folder / "other.zst"
        shutil.copyfile(self.bundle, other)
        result = hp_verify("bundle", self.bundle, other, "--allowed-signers", self.signers, "--jobs", "2", "--junit", self.folder / "junit.xml")
        self.assertEqual(result.status, 1, result)
        self.assertIn(b"signature.unsigned", result.out)
        self.assertIn(b"other.zst: not signed; else valid: self-consistent\n", result.out)
        junit = (self.folder / "junit.xml").read_text()
        self.assertIn('type="signature.unsigned"', junit)
        self.assertIn("signed by the key that your allowed signers file calls", junit)
        # A copy next to it is as good.
        shutil.copyfile(self.signature, self.folder / "other.zst.sig")
        self.assert_good(hp_verify("bundle", self.bundle, other, "--allowed-signers", self.signers))

    def test_mistakes_of_the_call(self):
        self.signed()
        for options in (["--signature", self.signature], ["--identity", "ada@example.org"]):
            self.assert_says(hp_verify("bundle", self.bundle, *options), "--allowed-signers")
        self.assert_says(hp_verify("bundle", self.bundle, self.bundle, "--signature", self.signature, "--allowed-signers", self.signers), "one file")
        self.assert_says(hp_verify("bundle", "-", "--allowed-signers", self.signers), "--signature")
        self.assert_says(hp_verify("bundle", self.bundle, "--allowed-signers", self.folder / "missing"), "missing")
        self.assert_says(hp_verify("bundle", self.bundle, "--allowed-signers", self.folder), "not a regular file")
        result = hp_verify("bundle", self.bundle, "--signature", self.folder / "missing", "--allowed-signers", self.signers)
        self.assertEqual(result.status, 2, result)
        self.assertIn("missing", result.err)

    def test_standard_input_and_a_link_to_a_signature(self):
        self.signed()
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        os.rename(self.signature, elsewhere / "s")
        self.signature.symlink_to(elsewhere / "s")
        self.assertEqual(self.verified()["result"], "ok")
        with open(self.bundle, "rb") as file:
            self.assert_good(hp_verify("bundle", "-", "--signature", self.signature, "--allowed-signers", self.signers, stdin=file))

    def test_control_characters_of_a_name_are_shown_as_text(self):
        self.signed(names='"ada\x1b[31m"')
        result = self.assert_good(hp_verify("bundle", self.bundle, "--allowed-signers", self.signers))
        self.assertNotIn(b"\x1b", result.out)
        self.assertIn(b"calls ada\\x1b[31m" if b"\\x1b" in result.out else b"calls ada", result.out)


class Histories(SignatureCase):
    def test_the_statement_of_a_history_is_its_head(self):
        self.assert_good(hp_export("seal", self.archive, "--quiet"))
        result = self.assert_good(hp_verify("statement", "--archive", self.archive))
        first, rest = result.out.split(b"\n", 1)
        self.assertEqual(first, b"healthprobe-history 1")
        self.assertEqual([line.split()[0] for line in rest.splitlines()], [b"archive", b"length", b"link"])
        python = subprocess.run([sys.executable, "-B", ROOT / "Spec" / "examples" / "verify_history.py", "--statement", self.archive], stdout=subprocess.PIPE, check=True)
        self.assertEqual(python.stdout, result.out)
        head = self.folder / "head"
        head.write_bytes(rest)
        self.assert_good(hp_verify("archive", self.archive, "--head", head, "--only", "history"))

    def test_an_archive_without_a_history_or_with_findings_has_none(self):
        self.assertEqual(hp_verify("statement", "--archive", self.fixture(to="plain.sqlite")).status, 1)
        self.assert_says(hp_verify("statement"), "--archive")
        self.assert_says(hp_verify("statement", self.bundle, "--archive", self.archive), "--archive")
