"""Time stamps of signatures (Spec/signatures.md, "Time"): a service that OpenSSL plays, and each fault with exactly its code."""

import datetime
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from support import ENVIRONMENT, Case, hp_export, hp_verify

from system_support import shim  # noqa: E402
import schemas  # noqa: E402

CONFIGURATION = """
[req]
distinguished_name = name
prompt = no
[name]
CN = %(name)s
[ca]
basicConstraints = critical,CA:TRUE
[service]
extendedKeyUsage = critical,timeStamping
[other]
extendedKeyUsage = critical,codeSigning
[tsa]
default_tsa = service_one
[service_one]
dir = %(folder)s
serial = $dir/serial
signer_digest = %(signer)s
default_policy = 1.2.3.4.1
digests = sha1, sha256, sha384, sha512
%(accuracy)s
clock_precision_digits = %(digits)d
ess_cert_id_alg = sha256
"""


@unittest.skipUnless(shutil.which("openssl") and shutil.which("ssh-keygen"), "openssl or ssh-keygen is not installed")
class Stamps(Case):
    def setUp(self):
        super().setUp()
        self.environment = dict(ENVIRONMENT)
        self.archive, self.bundle = self.fixture(), self.folder / "out.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", self.bundle, "--quiet"))
        self.key, self.signers = self.folder / "key", self.folder / "signers"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.key], check=True, stdin=subprocess.DEVNULL)
        self.allow()
        self.assert_good(hp_export("sign", self.bundle, "--key", self.key))
        self.signature, self.stamp = self.folder / "out.jsonl.zst.sig", self.folder / "out.jsonl.zst.tsr"
        self.configure()
        self.authority("authority")
        self.service("service", "authority")

    def allow(self, options=""):
        public = self.key.with_name("key.pub").read_text().split()[:2]
        self.signers.write_text(" ".join(filter(None, ["ada@example.org", options, *public])) + "\n")

    def at(self, moment):
        """OpenSSL's clock stands at a moment."""
        if "LD_PRELOAD" not in self.environment:
            self.environment["LD_PRELOAD"] = str(shim.build(self.folder, "clock"))
        self.environment["HP_CLOCK"] = str(int(datetime.datetime.fromisoformat(moment + "+00:00").timestamp()))

    def openssl(self, *words):
        result = subprocess.run(["openssl", *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, 0, result.stdout)

    def configure(self, name="test", signer="sha256", accuracy="accuracy = secs:1, millisecs:500", digits=0):
        (self.folder / "openssl.cnf").write_text(CONFIGURATION % {"name": name, "folder": self.folder, "signer": signer, "accuracy": accuracy, "digits": digits})

    def authority(self, name):
        self.configure(name)
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key", "-out", name + ".pem",
                     "-days", "3650", "-config", "openssl.cnf", "-extensions", "ca")

    def service(self, name, authority, extensions="service", *options):
        self.configure(name)
        self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key", "-out", name + ".csr", "-config", "openssl.cnf")
        self.openssl("x509", "-req", "-in", name + ".csr", "-CA", authority + ".pem", "-CAkey", authority + ".key", "-CAcreateserial", "-out", name + ".pem",
                     *(options or ["-days", "365"]), "-extfile", "openssl.cnf", "-extensions", extensions)
        self.configure()

    def stamped(self, data=None, digest="-sha256", service="service", query=("-cert",), out=None):
        """Asks the service for a stamp, as docs/prove-it.md does, with the service here."""
        self.openssl("ts", "-query", "-data", data or self.signature, digest, *query, "-out", "query.tsq")
        self.openssl("ts", "-reply", "-queryfile", "query.tsq", "-config", "openssl.cnf", "-section", "service_one", "-inkey", service + ".key", "-signer", service + ".pem", "-out", out or self.stamp)
        return out or self.stamp

    def verified(self, *options, status=0, authority="authority"):
        result = hp_verify("bundle", self.bundle, "--allowed-signers", self.signers, "--tsa-ca", self.folder / (authority + ".pem"), "--json", *options)
        self.assertEqual(result.status, status, result)
        value = json.loads(result.out)
        schemas.validator("verify-result").validate(value)
        return value["files"][0]

    def assert_found(self, code, *options, authority="authority"):
        value = self.verified(*options, status=1, authority=authority)
        self.assertEqual([finding["code"] for finding in value["findings"]], [code])
        self.assertEqual(value["signature"]["status"], "failed")
        if code.startswith("timestamp."):
            self.assertNotIn("time", value["signature"]["timestamp"])
            self.assertEqual(value["verdict"], "time not shown; else valid: self-consistent")

    def assert_unreadable(self, words, *options):
        result = hp_verify("bundle", self.bundle, "--allowed-signers", self.signers, "--tsa-ca", self.folder / "authority.pem", *options)
        self.assertEqual((result.status, result.out), (2, b""), result)
        self.assertIn(words, result.err)

    def test_a_good_stamp(self):
        self.stamped()
        value = self.verified("--identity", "ada@example.org")
        time = value["signature"]["timestamp"]
        self.assertEqual((time["file"], time["accuracy_microseconds"]), (str(self.stamp), 1_500_000))
        shown = subprocess.run(["openssl", "ts", "-reply", "-in", self.stamp, "-text"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, text=True).stdout
        clock = re.search(r"Time stamp: \w+ +\d+ (\d\d:\d\d:\d\d)(?:\.\d+)? \d{4} GMT", shown).group(1)
        self.assertRegex(time["time"], r"^\d{4}-\d\d-\d\dT" + clock + "Z$")
        self.assertEqual(value["verdict"], "valid: self-consistent; signed by the key that your allowed signers file calls ada@example.org, "
                         "not after %s (±1.5 s), as a service states that your CA file vouches for" % time["time"])
        self.openssl("ts", "-verify", "-data", self.signature, "-in", self.stamp, "-CAfile", "authority.pem")

    def test_the_precision_is_shown_as_it_is_stated(self):
        self.configure(accuracy="", digits=6)
        self.stamped()
        value = self.verified()
        self.assertIn("(accuracy not stated)", value["verdict"])
        self.assertNotIn("accuracy_microseconds", value["signature"]["timestamp"])
        for accuracy, shown in (("secs:2", "±2 s"), ("millisecs:40", "±0.04 s"), ("microsecs:7", "±0.000007 s"), ("secs:60, millisecs:1, microsecs:1", "±60.001001 s")):
            self.configure(accuracy="accuracy = " + accuracy, digits=3)
            self.stamped()
            self.assertIn("(%s)" % shown, self.verified()["verdict"])

    def test_other_hashes(self):
        for digest in ("-sha384", "-sha512"):
            self.stamped(digest=digest)
            self.verified()

    def test_no_stamp(self):
        self.assert_found("timestamp.missing")

    def test_sha1(self):
        self.stamped(digest="-sha1")
        self.openssl("ts", "-verify", "-data", self.signature, "-in", self.stamp, "-CAfile", "authority.pem")
        self.assert_found("timestamp.algorithm")
        self.configure(signer="sha1")
        self.stamped()
        self.assert_found("timestamp.algorithm")

    def test_a_stamp_of_something_else(self):
        for data in (self.bundle, self.folder / "key.pub"):
            self.stamped(data)
            self.assert_found("timestamp.imprint")
        # The signature that was stamped was made again: ECDSA and RSA give another each time, and here the armor has one line feed more.
        self.stamped()
        self.verified()
        self.signature.write_bytes(self.signature.read_bytes().rstrip(b"\n"))
        self.assert_found("timestamp.imprint")

    def test_an_answer_without_a_stamp(self):
        self.openssl("ts", "-query", "-data", self.signature, "-md5", "-cert", "-out", "query.tsq")
        subprocess.run(["openssl", "ts", "-reply", "-queryfile", "query.tsq", "-config", "openssl.cnf", "-section", "service_one", "-inkey", "service.key", "-signer", "service.pem", "-out", self.stamp],
                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(self.stamp.exists())
        self.assert_found("timestamp.refused")

    def test_a_changed_stamp(self):
        """Each byte of a stamp is changed: it is not an answer any more, or a fault is found, or it says the same time."""
        data = self.stamped().read_bytes()
        good = self.verified()["signature"]["timestamp"]["time"]
        outcomes = set()
        for place in range(0, len(data), 23):
            self.stamp.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1:])
            result = hp_verify("bundle", self.bundle, "--allowed-signers", self.signers, "--tsa-ca", self.folder / "authority.pem", "--json")
            file = json.loads(result.out)["files"][0] if result.out else {}
            codes = [finding["code"] for finding in file.get("findings", [])]
            self.assertTrue(all(code.startswith("timestamp.") for code in codes) and len(codes) < 2, codes)
            outcomes |= {(result.status, *codes)}
            if result.status == 0:
                self.assertEqual(file["signature"]["timestamp"]["time"], good)
        self.assertIn((1, "timestamp.bad"), outcomes)
        # The signature of the service, which is the end of the answer.
        self.stamp.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        self.assert_found("timestamp.bad")

    def test_a_service_that_is_not_named_in_the_stamp(self):
        self.stamped(query=())
        self.assert_found("timestamp.bad")

    def test_another_authority(self):
        self.authority("elsewhere")
        self.configure()
        self.stamped()
        self.assert_found("timestamp.untrusted", authority="elsewhere")
        both = self.folder / "both.pem"
        both.write_bytes(b"# two\n" + (self.folder / "elsewhere.pem").read_bytes() + (self.folder / "authority.pem").read_bytes())
        self.verified(authority="both")

    def test_a_certificate_has_to_be_valid_when_the_service_stamps(self):
        """It may have ended since, and need not be valid before."""
        self.at("2010-06-01T00:00:00")
        self.authority("old")
        self.service("old-service", "old")
        for moment, code in (("2010-12-01T00:00:00", None), ("2010-05-01T00:00:00", "timestamp.untrusted"), ("2012-01-01T00:00:00", "timestamp.untrusted")):
            with self.subTest(moment):
                self.at(moment)
                self.stamped(service="old-service")
                if code:
                    self.assert_found(code, authority="old")
                else:
                    self.assertEqual(self.verified(authority="old")["signature"]["timestamp"]["time"], moment + "Z")
                    seconds = self.environment["HP_CLOCK"]
                    self.environment.pop("HP_CLOCK")
                    self.openssl("ts", "-verify", "-data", self.signature, "-in", self.stamp, "-CAfile", "old.pem", "-attime", seconds)

    def test_a_certificate_that_is_not_for_time_stamps(self):
        self.service("coder", "authority", "other")
        self.openssl("ts", "-query", "-data", self.signature, "-sha256", "-cert", "-out", "query.tsq")
        result = subprocess.run(["openssl", "ts", "-reply", "-queryfile", "query.tsq", "-config", "openssl.cnf", "-section", "service_one", "-inkey", "coder.key", "-signer", "coder.pem", "-out", self.stamp],
                                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # OpenSSL does not stamp with such a certificate, so a stamp by one can only be made by other programs.
        self.assertIn(b"signer", result.stdout)

    def test_stamps_of_what_is_not_signed_or_wrongly(self):
        self.stamped()
        (self.folder / "other").mkdir()
        self.allow('namespaces="file"')
        self.assert_found("signature.namespace")
        self.stamp.unlink()
        self.assert_found("signature.namespace")
        self.allow()
        self.signature.unlink()
        self.assert_found("signature.unsigned")

    def test_a_key_is_judged_at_the_time_of_the_stamp(self):
        self.stamped()
        self.allow('valid-before="20010101Z"')
        self.assert_found("signature.expired")
        self.stamp.unlink()
        self.assert_found("timestamp.missing")
        # A stamp from within the period, which has ended: the key was replaced, and its signature stays good.
        self.at("2010-06-01T00:00:00")
        self.authority("old")
        self.service("old-service", "old")
        self.stamped(service="old-service")
        for options, code in (('valid-before="20100601Z"', None), ('valid-before="20100531235959Z"', "signature.expired"), ('valid-after="20100601Z"', None),
                              ('valid-after="20100601000001Z"', "signature.expired"), ("", None)):
            with self.subTest(options):
                self.allow(options)
                if code:
                    self.assert_found(code, authority="old")
                else:
                    self.verified(authority="old")

    def test_what_is_not_an_answer(self):
        data = self.stamped().read_bytes()
        for content in (b"", b"0", b"no stamp\n", data[:-1], data + b"\0", b"0\x80", b"x" * 70_000):
            with self.subTest(content[:10]):
                self.stamp.write_bytes(content)
                self.assert_unreadable("more than 65536 bytes" if len(content) > 65536 else "not an answer of a time-stamp service")
        self.stamp.unlink()
        self.assert_unreadable("missing", "--timestamp", self.folder / "missing")

    def test_mistakes_of_the_call(self):
        self.stamped()
        for options, words in ((["--tsa-ca", self.folder / "authority.pem"], "--tsa-ca needs --allowed-signers"), (["--timestamp", self.stamp], "--timestamp needs"),
                               (["--allowed-signers", self.signers, "--timestamp", self.stamp], "--timestamp needs --tsa-ca"),
                               (["--allowed-signers", self.signers, "--tsa-ca", self.signers], "no certificate in PEM"),
                               (["--allowed-signers", self.signers, "--tsa-ca", self.folder / "authority.key"], "no certificate in PEM"),
                               (["--allowed-signers", self.signers, "--tsa-ca", self.folder / "none"], "none")):
            with self.subTest(words):
                result = hp_verify("bundle", self.bundle, *options)
                self.assertEqual((result.status, result.out), (2, b""), result)
                self.assertIn(words, result.err)
        result = hp_verify("bundle", self.bundle, self.bundle, "--allowed-signers", self.signers, "--tsa-ca", self.folder / "authority.pem", "--timestamp", self.stamp)
        self.assertIn("one file", result.err)

    def test_several_signers(self):
        other = self.folder / "bob"
        subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-C", "", "-f", other], check=True, stdin=subprocess.DEVNULL)
        self.assert_good(hp_export("sign", self.bundle, "--key", other, "--name", "bob"))
        signature, stamp = self.folder / "out.jsonl.zst.bob.sig", self.folder / "out.jsonl.zst.bob.tsr"
        self.signers.write_text(self.signers.read_text() + "bob@example.org " + " ".join(other.with_name("bob.pub").read_text().split()[:2]) + "\n")
        self.stamped(signature, out=stamp)
        value = self.verified("--signature", signature, "--timestamp", stamp, "--identity", "bob@example.org")
        self.assertEqual(value["signature"]["principals"], "bob@example.org")
        self.stamped()
        self.assertEqual(self.verified()["signature"]["principals"], "ada@example.org")
        self.assert_found("timestamp.imprint", "--signature", signature, "--timestamp", self.stamp)
        for name in ("", "a/b", "..", "-", "x y", "\u00e4"):
            result = hp_export("sign", self.bundle, "--key", other, "--name", name)
            self.assertEqual(result.status, 2, name)
            self.assertIn("--name", result.err)

    def test_a_head_that_was_signed_and_stamped(self):
        self.assert_good(hp_export("seal", self.archive, "--quiet"))
        head = self.folder / "head"
        self.assert_good(hp_verify("statement", "--archive", self.archive, "-o", head))
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", "healthprobe-history", "-f", self.key, head], check=True, stdin=subprocess.DEVNULL)
        arguments = ["history", head, "--archive", self.archive, "--allowed-signers", self.signers, "--tsa-ca", self.folder / "authority.pem", "--json"]
        self.assertEqual(json.loads(hp_verify(*arguments).out)["files"][0]["signature_code"], "timestamp.missing")
        self.stamped(pathlib.Path(str(head) + ".sig"), out=pathlib.Path(str(head) + ".tsr"))
        value = json.loads(self.assert_good(hp_verify(*arguments)).out)
        schemas.validator("history-result").validate(value)
        self.assertIn("time", value["files"][0]["signature"]["timestamp"])
