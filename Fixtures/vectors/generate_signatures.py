"""Vectors of signatures: Spec/vectors/signatures.json. Every key follows from its name, and every signature from its key."""

import base64
import hashlib
import json
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "Spec" / "examples")]

from verifier.signatures import Curve, Ed25519, multiple, string  # noqa: E402
from zstandard import ZstdDecompressor  # noqa: E402

NAMESPACE = b"healthprobe-export"
BUNDLE = "valid/bundle/good-minimal.jsonl.zst"
L = Ed25519.L


def statement_of(path):
    """The statement of a bundle of Spec/vectors, from its first and last line."""
    with open(path, "rb") as file:
        lines = ZstdDecompressor().stream_reader(file, read_across_frames=True).read().splitlines()
    header, manifest = json.loads(lines[0])["export"], json.loads(lines[-1])
    return "healthprobe-export 1\nkind %s\nexport %s\nitems %d\nmanifest %s\n" % (
        header["export_kind"], header["export_id"], manifest["totals"]["item_count"], manifest["manifest_hash"])


def mpint(number):
    return string(number.to_bytes(number.bit_length() // 8 + 1, "big") if number else b"")


class Ed25519Key:
    kind, algorithm = b"ssh-ed25519", b"ssh-ed25519"

    def __init__(self, seed):
        digest = hashlib.sha512(seed).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
        self.prefix = digest[32:]
        self.curve = Ed25519(bytes(32))
        self.base = self.curve.point((4 * pow(5, -1, Ed25519.P) % Ed25519.P).to_bytes(32, "little"))
        self.public = self.times(self.scalar)
        self.blob = string(self.kind) + string(self.public)

    def times(self, number):
        return self.curve.encoded(multiple(self.curve.add, number, self.base, Ed25519.ZERO))

    def sign(self, message):
        r = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % L
        point = self.times(r)
        h = int.from_bytes(hashlib.sha512(point + self.public + message).digest(), "little")
        return point + ((r + h * self.scalar) % L).to_bytes(32, "little")


class ECDSAKey:
    def __init__(self, kind, name):
        self.kind = self.algorithm = kind
        self.curve = Curve.ALL[kind.decode()]
        self.secret = number_of(name, self.curve.n)
        self.public = self.point(self.curve.times(self.secret, self.curve.base))
        self.blob = self.blob_of(self.public)

    def point(self, point):
        return b"\4" + b"".join(part.to_bytes(self.curve.size, "big") for part in point)

    def blob_of(self, point):
        return string(self.kind) + string(self.curve.name.encode()) + string(point)

    def numbers(self, message):
        n, digest = self.curve.n, self.curve.function(message).digest()
        number = int.from_bytes(digest, "big") >> max(0, 8 * len(digest) - n.bit_length())
        k = number_of("nonce %d" % self.secret + digest.hex(), n)
        r = self.curve.times(k, self.curve.base)[0] % n
        return r, pow(k, -1, n) * (number + r * self.secret) % n

    def sign(self, message):
        return b"".join(map(mpint, self.numbers(message)))


def number_of(name, n):
    return int.from_bytes(b"".join(hashlib.sha512(b"%d %s" % (part, name.encode())).digest() for part in range(2)), "big") % (n - 1) + 1


def prime(source, bits):
    """A prime with its two highest bits set, so that a product of two has all its bits."""
    while True:
        number = source.getrandbits(bits) | 3 << bits - 2 | 1
        if number % 65537 != 1 and all(number % small for small in (3, 5, 7, 11, 13, 17, 19, 23)) and \
                all(pow(base, number - 1, number) == 1 for base in (2, 3, 5, 7, 11, 13)):
            return number


class RSAKey:
    kind = b"ssh-rsa"

    def __init__(self, bits, algorithm=b"rsa-sha2-512"):
        source = random.Random("rsa %d" % bits)
        p, q = prime(source, bits // 2), prime(source, bits - bits // 2)
        self.n, self.e, self.algorithm = p * q, 65537, algorithm
        self.d = pow(self.e, -1, (p - 1) * (q - 1))
        self.size = (bits + 7) // 8
        self.blob = string(self.kind) + mpint(self.e) + mpint(self.n)

    def sign(self, message):
        prefix, function = {b"rsa-sha2-256": ("3031300d060960864801650304020105000420", hashlib.sha256), b"rsa-sha2-512": ("3051300d060960864801650304020305000440", hashlib.sha512),
                            b"ssh-rsa": ("3021300906052b0e03021a05000414", hashlib.sha1)}[self.algorithm]
        tail = bytes.fromhex(prefix) + function(message).digest()
        padded = b"\0\1" + b"\xff" * (self.size - len(tail) - 3) + b"\0" + tail
        return pow(int.from_bytes(padded, "big"), self.d, self.n).to_bytes(self.size, "big")


def armored(blob, width=70):
    text = base64.b64encode(blob).decode()
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *(text[place:place + width] for place in range(0, len(text), width)), "-----END SSH SIGNATURE-----", ""])


def blob_of(key, text, namespace=NAMESPACE, digest=b"sha512", **parts):
    """A signature; `parts` are in the place of what belongs there."""
    hashed = hashlib.new(digest.decode(), text.encode()).digest()
    message = b"SSHSIG" + string(namespace) + string(b"") + string(digest) + string(hashed)
    value = parts["value"](message) if "value" in parts else key.sign(message)
    inner = string(parts.get("algorithm", key.algorithm)) + string(value) + parts.get("inner_end", b"")
    return b"SSHSIG" + parts.get("version", b"\0\0\0\1") + string(parts.get("blob", key.blob)) + string(namespace) + string(parts.get("reserved", b"")) + string(parts.get("said", digest)) + string(inner) + parts.get("end", b"")


def line(key, names="ada@example.org", options="", blob=None, kind=None):
    return " ".join(filter(None, [names, options, (kind or key.kind).decode(), base64.b64encode(blob or key.blob).decode()])) + "\n"


ADA = Ed25519Key(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))  # RFC 8032, 7.1, test 1
EVE = Ed25519Key(hashlib.sha256(b"eve").digest())
P256, P384, P521 = (ECDSAKey(b"ecdsa-sha2-nistp%d" % bits, "ecdsa %d" % bits) for bits in (256, 384, 521))
RSA2048, RSA1024, RSA2047 = RSAKey(2048), RSAKey(1024), RSAKey(2047)


def as_rsa(key, algorithm):
    other = RSAKey.__new__(RSAKey)
    other.__dict__ = {**key.__dict__, "algorithm": algorithm}
    return other


class Maker:
    def __init__(self, statement):
        self.statement, self.entries = statement, []

    def add(self, name, what, code=None, signature=None, signers=None, result=None, file=BUNDLE, **more):
        entry = {"name": name, "what": what, "file": file, "signature": signature, "allowed_signers": line(ADA) if signers is None else signers, **more,
                 "result": result or ("findings" if code else "ok")}
        if code:
            entry["code"] = "signature." + code
        self.entries.append(entry)

    def signed(self, name, what, code=None, key=ADA, signers=None, text=None, **parts):
        more = {part: parts.pop(part) for part in ("identity", "result", "error", "principals") if part in parts}
        if code is None and "result" not in more:
            more.setdefault("principals", "ada@example.org")
        self.add(name, what, code, armored(blob_of(key, self.statement if text is None else text, **parts)), line(key) if signers is None else signers, **more)

    def good(self):
        for name, key in (("ed25519", ADA), ("ecdsa-p256", P256), ("ecdsa-p384", P384), ("ecdsa-p521", P521), ("rsa-2048", RSA2048), ("rsa-sha256", as_rsa(RSA2048, b"rsa-sha2-256"))):
            self.signed(name, "a good signature", key=key)
        self.signed("hash-sha256", "SHA-256 of the statement", digest=b"sha256")
        self.add("long-lines", "the armor has one long line", None, armored(blob_of(ADA, self.statement), 2000), principals="ada@example.org")
        for name, what, names, identity in (
                ("pattern-star", "a pattern", "*@example.org", "ada@example.org"), ("pattern-question", "a pattern", "a?a@example.org", "ada@example.org"),
                ("pattern-list", "a list of patterns", "bob@example.org,*@example.org,!eve@*", "ada@example.org"), ("quoted-name", "a quoted name", '"ada lovelace"', "ada lovelace"),
                ("any-name", "nobody asks for a name", "*", None)):
            self.signed(name, what, signers=line(ADA, names), principals=names.strip('"'), **({"identity": identity} if identity else {}))
        for name, what, options in (
                ("namespaces", "a list of purposes", 'namespaces="git,healthprobe-*"'), ("options-case", "names of options in capitals", 'NAMESPACES="healthprobe-export",Valid-After="20000101Z"'),
                ("validity", "a validity period that lasts", 'valid-after="20000101Z",valid-before="29991231235959Z"'), ("leap-day", "a validity period with a leap day", 'valid-after="20000229Z"')):
            self.signed(name, what, signers=line(ADA, options=options))
        self.signed("comments", "comments, empty lines, blanks, CR LF, and what stands behind a key", signers="# mine\n\n \t\r\n \tada@example.org \t" + line(ADA, "").strip() + " ada's laptop\r\n# end")
        self.signed("second-line", "the second line of the key has the name", signers=line(ADA, "bob@example.org") + line(EVE) + line(ADA), identity="ada@example.org")
        self.signed("other-line-later", "a line of the key that expired, and one that did not", signers=line(ADA, "old@example.org", 'valid-before="20010101Z"') + line(ADA))

    def bad(self):
        text = self.statement
        self.signed("one-line-feed-more", "a signature of one line feed more", "bad", text=text + "\n")
        self.signed("other-statement", "a signature of another statement", "bad", text=text.replace("items 1\n", "items 2\n"))
        self.signed("bytes-of-the-file", "a signature of nothing", "bad", text="")
        self.signed("claimed-key", "somebody else's signature that claims an allowed key", "bad", key=EVE, blob=ADA.blob, signers=line(ADA))
        self.signed("claimed-hash", "SHA-256 in place of SHA-512", "bad", digest=b"sha256", said=b"sha512")
        self.signed("value-flipped", "a bit of the signature is another", "bad", value=lambda message: flipped(ADA.sign(message)))
        self.signed("value-short", "a byte of the signature is missing", "bad", value=lambda message: ADA.sign(message)[:-1])
        self.signed("scalar-large", "the scalar of the signature is larger than the order (RFC 8032, 8.4)", "bad",
                    value=lambda message: ADA.sign(message)[:32] + (int.from_bytes(ADA.sign(message)[32:], "little") + L).to_bytes(32, "little"))
        self.signed("ecdsa-flipped", "a bit of the signature is another", "bad", key=P256, value=lambda message: flipped(P256.sign(message)))
        self.signed("ecdsa-zero", "r is 0", "bad", key=P256, value=lambda message: mpint(0) + mpint(1))
        self.signed("ecdsa-large", "s is as large as the order", "bad", key=P256, value=lambda message: mpint(1) + mpint(P256.curve.n))
        self.signed("ecdsa-more", "bytes behind r and s", "bad", key=P384, value=lambda message: P384.sign(message) + b"\0")
        outside = b"\4" + P256.public[1:-1] + bytes([P256.public[-1] ^ 1])
        self.signed("ecdsa-outside", "the point is not on the curve", "bad", key=P256, blob=P256.blob_of(outside), signers=line(P256, blob=P256.blob_of(outside)))
        self.signed("rsa-flipped", "a bit of the signature is another", "bad", key=RSA2048, value=lambda message: flipped(RSA2048.sign(message)))
        self.signed("rsa-long", "the signature is longer than the modulus", "bad", key=RSA2048, value=lambda message: b"\0" + RSA2048.sign(message))
        self.signed("rsa-other-hash", "made with SHA-256, claims SHA-512", "bad", key=as_rsa(RSA2048, b"rsa-sha2-256"), algorithm=b"rsa-sha2-512")
        for name, namespace in (("other-namespace", b"file"), ("empty-namespace", b""), ("history-namespace", b"healthprobe-history"), ("longer-namespace", b"healthprobe-export2")):
            self.signed(name, "the namespace is %s" % (namespace.decode() or "empty"), "namespace", namespace=namespace)
        self.signed("namespaces-other", "the key is for other purposes", "namespace", signers=line(ADA, options='namespaces="git,file"'))
        self.signed("namespaces-negated", "the key is for all purposes but this", "namespace", signers=line(ADA, options='namespaces="*,!healthprobe-export"'))
        self.signed("hash-sha384", "SHA-384 of the statement", "algorithm", digest=b"sha384")
        self.signed("hash-sha1", "SHA-1 of the statement", "algorithm", digest=b"sha1")
        self.signed("rsa-1024", "an RSA key of 1024 bits", "algorithm", key=RSA1024)
        self.signed("rsa-2047", "an RSA key of 2047 bits", "algorithm", key=RSA2047)
        self.signed("rsa-sha1", "RSA with SHA-1", "algorithm", key=as_rsa(RSA2048, b"ssh-rsa"))
        self.signed("other-algorithm", "the algorithm is not one of the key", "algorithm", algorithm=b"rsa-sha2-512")
        self.signed("other-curve", "the algorithm is one of another curve", "algorithm", key=P256, algorithm=b"ecdsa-sha2-nistp384")

    def unknown(self):
        self.signed("unknown-key", "the key is not allowed", "unknown_key", key=EVE, signers=line(ADA))
        self.signed("nobody-allowed", "nobody is allowed", "unknown_key", signers="# nobody\n")
        self.signed("authority", "the key is allowed for certificates alone", "unknown_key", signers=line(ADA, options="cert-authority"))
        for name, names, identity in (("other-identity", "ada@example.org", "bob@example.org"), ("pattern-negated", "*@example.org,!ada@example.org", "ada@example.org"), ("pattern-short", "a?@example.org", "ada@example.org"),
                                      ("pattern-case", "Ada@example.org", "ada@example.org"), ("pattern-part", "ada", "ada@example.org"), ("negated-alone", "!bob@example.org", "ada@example.org")):
            self.signed(name, "the name does not match", "identity", signers=line(ADA, names), identity=identity)
        self.signed("expired", "the key was valid until 2001", "expired", signers=line(ADA, options='valid-before="20010101Z"'))
        self.signed("expired-time", "the key was valid until a time", "expired", signers=line(ADA, options='valid-after="199912312359Z",valid-before="20010101120000Z"'))
        self.signed("not-yet", "the key is valid from 2999 on", "expired", signers=line(ADA, options='valid-after="29990101Z"'))
        self.add("no-signature", "no signature beside the file", "unsigned")
        good = armored(blob_of(ADA, self.statement))
        for name, file in (("page", "valid/page/page-good.html"), ("people-view", "valid/table/good-people-changes.csv"), ("salvage", "valid/bundle/salvage-good-bare.jsonl.zst")):
            self.add(name, "a file that has no statement", "statement", good, file=file)
        self.add("invalid-file", "an invalid file: its signature is not checked", None, good, file="manifest/bundle/manifest-hash.jsonl.zst", result="findings")

    def unreadable(self):
        failed = {"result": "failed", "error": "unreadable"}
        for name, what, parts in (
                ("version-2", "version 2", {"version": b"\0\0\0\2"}), ("version-0", "version 0", {"version": b"\0\0\0\0"}), ("reserved", "the reserved field is not empty", {"reserved": b"x"}),
                ("bytes-after", "a byte behind the blob", {"end": b"\0"}), ("bytes-after-inner", "a byte behind the inner signature", {"inner_end": b"\0"}),
                ("bytes-after-key", "a byte behind the key", {"blob": ADA.blob + b"\0"}), ("key-short", "a key of 31 bytes", {"blob": string(ADA.kind) + string(ADA.public[1:])})):
            self.signed(name, what, **failed, **parts)
        for name, what, blob in (("curve", "a curve that is not the one of the type", string(P256.kind) + string(b"nistp384") + string(P256.public)),
                                 ("compressed", "a compressed point", P256.blob_of(b"\2" + P256.public[1:33]))):
            self.signed("ecdsa-" + name, what, key=P256, blob=blob, **failed)
        self.signed("rsa-negative", "a modulus below 0", key=RSA2048, blob=string(b"ssh-rsa") + mpint(65537) + string(RSA2048.n.to_bytes(256, "big")), **failed)
        good = armored(blob_of(ADA, self.statement))
        blob = blob_of(ADA, self.statement)
        for name, what, text in (
                ("empty", "an empty file", ""), ("no-armor", "no armor", "\n".join(good.split("\n")[1:-2])), ("no-end", "no end", good.replace("-----END", "-----ENDE")), ("after-end", "text behind the end", good + "more\n"),
                ("before-begin", "text before the beginning", "\n" + good), ("other-armor", "another kind of file", good.replace("SSH SIGNATURE", "PGP SIGNATURE")), ("base64", "not Base64", good.replace("U1NI", "U1N*")),
                ("base64-bits", "bits behind the last byte", good.replace("Jg4=", "Jg5=") if "Jg4=" in good else unused_bits(good)), ("magic", "another magic", armored(b"SSHSIH" + blob[6:])), ("cut", "the blob is cut", armored(blob[:-1])),
                ("huge", "a size that is larger than the blob", armored(blob[:10] + b"\xff\xff\xff\xff" + blob[14:])), ("too-large", "a file that is too large", armored(blob + bytes(25000)))):
            self.add("armor-" + name if name in ("empty", "end") else name, what, None, text, **failed)
        for name, what, signers in (
                ("option", "an option that is not known", line(ADA, options="verify-required")), ("twice", "an option twice", line(ADA, options='namespaces="a",namespaces="b"')),
                ("unquoted", "a value without quotes", line(ADA, options="valid-after=20000101Z")), ("open-quote", "a quote that is not closed", line(ADA, options='namespaces="healthprobe-export')),
                ("month", "a month 13", line(ADA, options='valid-after="20001301Z"')), ("digits", "nine digits", line(ADA, options='valid-after="200001011Z"')), ("leap", "a 29 February that there is not", line(ADA, options='valid-before="29990229Z"')),
                ("minute", "a minute 60", line(ADA, options='valid-after="200001010060Z"')),
                ("period", "a period that ends before it begins", line(ADA, options='valid-after="20010101Z",valid-before="20000101Z"')),
                ("local", "a time of an unknown zone", line(ADA, options='valid-before="29991231"')), ("no-key", "a line without a key", "ada@example.org\n"),
                ("type", "a type that is not the one of the key", line(ADA, kind=b"ssh-rsa")), ("name", "a line of a key alone", line(ADA, "")), ("key-base64", "a key that is not Base64", "ada@example.org ssh-ed25519 AAAA*\n"),
                ("later", "a line behind the one of the key", line(ADA) + "bob@example.org\n")):
            self.add("signers-" + name, what, None, good, signers, **failed)

    def unsupported(self):
        application = string(b"ssh:")
        for name, kind, rest in (("sk-ed25519", b"sk-ssh-ed25519@openssh.com", string(ADA.public) + application), ("sk-ecdsa", b"sk-ecdsa-sha2-nistp256@openssh.com", string(b"nistp256") + string(P256.public) + application),
                                 ("certificate", b"ssh-ed25519-cert-v01@openssh.com", string(bytes(32)) + string(ADA.public)), ("dsa", b"ssh-dss", mpint(23) + mpint(11) + mpint(4) + mpint(8))):
            blob = string(kind) + rest
            self.signed(name, "a key of type %s" % kind.decode(), blob=blob, algorithm=kind, signers=line(ADA, kind=kind, blob=blob), result="failed", error="unsupported")


def flipped(data):
    return data[:-1] + bytes([data[-1] ^ 1])


def unused_bits(text):
    """The same text with a bit set that stands for no byte."""
    place = text.index("=")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return text[:place - 1] + letters[letters.index(text[place - 1]) | 1] + text[place:]


def write(made):
    maker = Maker(statement_of(made.path / BUNDLE))
    for part in (maker.good, maker.bad, maker.unknown, maker.unreadable, maker.unsupported):
        part()
    # What ssh-keygen 9.2 made of the statement of another bundle.
    old = "healthprobe-export 1\nkind recovery_bundle\nexport feb86f8e-e750-8e2a-aaf1-5ac8ef7ad62d\nitems 1\n" \
        "manifest 92a812ad1bafaee25d3125863f6dc44248f73372caef55818cdf465406a7a504\n"
    known = {"statement": old, "public_key": line(ADA, "").strip(), "signature": armored(blob_of(ADA, old))}
    text = json.dumps({"statement": maker.statement, "known": known, "vectors": maker.entries}, indent=1)
    (made.path / "signatures.json").write_text(text + "\n", encoding="utf-8")
