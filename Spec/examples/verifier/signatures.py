"""Statements and their SSH signatures: Spec/signatures.md, with integers alone.

    report ──► statement ──┐
    armor ──► blob ──► key, namespace, hash, signature ──► is it of the statement? ──► is the key allowed?
"""

import base64
import binascii
import calendar
import hashlib
import re
import struct
import time

NAMESPACE, OF_HISTORIES = "healthprobe-export", "healthprobe-history"
SIGNATURE_LIMIT, SIGNERS_LIMIT = 32768, 1 << 20
HASHES = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}


class Unreadable(Exception):
    """A file is not what it ought to be."""


class Unsupported(Unreadable):
    """A signature by a kind of key that is not verified here."""


def statement(result, export):
    """The statement of a file that was verified, or None: the object of `verify`, and the export that it found."""
    if result["result"] != "ok" or export is None or not result["verdict"].startswith("valid: "):
        return None
    return "healthprobe-export 1\nkind %s\nexport %s\nitems %d\nmanifest %s\n" % (export["kind"], export["id"], result["item_count"], export["manifest"])


# SSH's binary form

class Reader:
    """Fields of RFC 4251, section 5, front to back."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        if count > len(self.data) - self.place:
            raise Unreadable("cut at byte %d" % self.place)
        self.place += count
        return self.data[self.place - count:self.place]

    def number(self):
        return struct.unpack(">I", self.take(4))[0]

    def string(self):
        return self.take(self.number())

    def name(self):
        data = self.string()
        if not all(0x21 <= byte <= 0x7E for byte in data):
            raise Unreadable("not a name before byte %d" % self.place)
        return data.decode("ascii")

    def positive(self):
        """A whole number above 0 in its shortest form."""
        data = self.string()
        if not data or data[0] >= 0x80 or data[0] == 0 and (len(data) == 1 or data[1] < 0x80):
            raise Unreadable("not a number before byte %d" % self.place)
        return int.from_bytes(data, "big")

    def end(self):
        if self.place != len(self.data):
            raise Unreadable("bytes follow at %d" % self.place)


def string(data):
    return struct.pack(">I", len(data)) + data


def decoded(text):
    """Base64 of RFC 4648, section 4, in its one spelling."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("not base64") from None
    if base64.b64encode(data) != text:
        raise Unreadable("not base64 in its one spelling")
    return data


class Signature:
    """A signature file: the armor, the blob, its parts."""

    def __init__(self, file):
        if len(file) > SIGNATURE_LIMIT:
            raise Unreadable("more than %d bytes" % SIGNATURE_LIMIT)
        lines = file.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        if len(lines) < 3 or lines[0] != b"-----BEGIN SSH SIGNATURE-----" or lines[-1] != b"-----END SSH SIGNATURE-----":
            raise Unreadable("not an SSH signature")
        blob = Reader(decoded(b"".join(lines[1:-1])))
        if blob.take(6) != b"SSHSIG" or blob.number() != 1:
            raise Unreadable("not version 1 of an SSH signature")
        self.key_blob = blob.string()
        self.key = key_of(self.key_blob)
        self.namespace = blob.string()
        if blob.string():
            raise Unreadable("the reserved field is not empty")
        self.hash_name = blob.name()
        inner = Reader(blob.string())
        blob.end()
        self.algorithm, self.value = inner.name(), inner.string()
        inner.end()

    def signed(self, text):
        digest = HASHES[self.hash_name](text.encode()).digest()
        return b"SSHSIG" + string(self.namespace) + string(b"") + string(self.hash_name.encode()) + string(digest)

    def refused(self):
        """Whether the hash, the algorithm or the key is none that is accepted."""
        return self.hash_name not in HASHES or self.algorithm not in self.key.algorithms or not self.key.is_accepted()


def key_of(blob):
    reader = Reader(blob)
    kind = reader.name()
    if kind == "ssh-ed25519":
        key = Ed25519(reader.string())
    elif kind in Curve.ALL:
        key = ECDSA(kind, reader)
    elif kind == "ssh-rsa":
        key = RSA(reader.positive(), reader.positive())
    else:
        raise Unsupported("a key of type %s" % kind)
    reader.end()
    return key


class RSA:
    """PKCS #1 v1.5 (RFC 8017, section 8.2.2)."""

    algorithms = ("rsa-sha2-256", "rsa-sha2-512")
    PREFIXES = {"rsa-sha2-256": ("3031300d060960864801650304020105000420", hashlib.sha256),
                "rsa-sha2-512": ("3051300d060960864801650304020305000440", hashlib.sha512)}

    def __init__(self, exponent, modulus):
        self.e, self.n = exponent, modulus

    def is_accepted(self):
        return 2048 <= self.n.bit_length() <= 16384 and self.e.bit_length() <= 64 and self.e % 2 == 1 and self.e != 1

    def verifies(self, value, message, algorithm):
        size = (self.n.bit_length() + 7) // 8
        prefix, function = self.PREFIXES[algorithm]
        tail = bytes.fromhex(prefix) + function(message).digest()
        expected = b"\0\1" + b"\xff" * (size - len(tail) - 3) + b"\0" + tail
        number = int.from_bytes(value, "big")
        return len(value) <= size and number < self.n and pow(number, self.e, self.n) == int.from_bytes(expected, "big")


class Curve:
    """y² = x³ − 3x + b over a prime field (FIPS 186-4, D.1.2)."""

    ALL = {}

    def __init__(self, name, function, p, b, n, x, y):
        self.name, self.function, self.p, self.b, self.n, self.base = name, function, p, b, n, (x, y)
        self.size = (p.bit_length() + 7) // 8
        Curve.ALL["ecdsa-sha2-" + name] = self

    def contains(self, x, y):
        return x < self.p and y < self.p and (y * y - x * x * x + 3 * x - self.b) % self.p == 0

    def add(self, left, right):
        """The sum of two points; None is the point at infinity."""
        if left is None or right is None:
            return left or right
        (x, y), (u, v) = left, right
        if x == u and (y + v) % self.p == 0:
            return None
        slope = (3 * (x * x - 1) * pow(2 * y, -1, self.p) if left == right else (v - y) * pow(u - x, -1, self.p)) % self.p
        w = (slope * slope - x - u) % self.p
        return w, (slope * (x - w) - y) % self.p

    def times(self, number, point):
        return multiple(self.add, number, point, None)


def multiple(add, number, point, zero):
    result = zero
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


Curve("nistp256", hashlib.sha256, 2**256 - 2**224 + 2**192 + 2**96 - 1,
      0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
      0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
      0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
      0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
Curve("nistp384", hashlib.sha384, 2**384 - 2**128 - 2**96 + 2**32 - 1,
      0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
      0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
      0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
      0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F)
Curve("nistp521", hashlib.sha512, 2**521 - 1,
      0x0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
      0x01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
      0x00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
      0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650)


class ECDSA:
    """FIPS 186-4, section 6.4."""

    def __init__(self, kind, reader):
        self.curve = Curve.ALL[kind]
        self.algorithms = (kind,)
        if reader.name() != self.curve.name:
            raise Unreadable("not the curve of its type")
        point, size = reader.string(), self.curve.size
        if len(point) != 1 + 2 * size or point[0] != 4:
            raise Unreadable("not an uncompressed point")
        self.point = int.from_bytes(point[1:1 + size], "big"), int.from_bytes(point[1 + size:], "big")

    def is_accepted(self):
        return True

    def verifies(self, value, message, _):
        curve, reader = self.curve, Reader(value)
        try:
            r, s = reader.positive(), reader.positive()
            reader.end()
        except Unreadable:
            return False
        if r >= curve.n or s >= curve.n or not curve.contains(*self.point):
            return False
        digest = curve.function(message).digest()
        number = int.from_bytes(digest, "big") >> max(0, 8 * len(digest) - curve.n.bit_length())
        inverse = pow(s, -1, curve.n)
        point = curve.add(curve.times(number * inverse % curve.n, curve.base), curve.times(r * inverse % curve.n, self.point))
        return point is not None and point[0] % curve.n == r


class Ed25519:
    """RFC 8032, section 5.1.7, in extended coordinates (X, Y, Z, T)."""

    algorithms = ("ssh-ed25519",)
    P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
    D = -121665 * pow(121666, -1, P) % P
    ZERO = (0, 1, 1, 0)

    def __init__(self, data):
        if len(data) != 32:
            raise Unreadable("not 32 bytes")
        self.data = data

    def is_accepted(self):
        return True

    def point(self, data):
        number = int.from_bytes(data, "little")
        y, sign = number & (1 << 255) - 1, number >> 255
        if y >= self.P:
            return None
        square = (y * y - 1) * pow(self.D * y * y + 1, -1, self.P) % self.P
        x = pow(square, (self.P + 3) // 8, self.P)
        if (x * x - square) % self.P:
            x = x * pow(2, (self.P - 1) // 4, self.P) % self.P
        if (x * x - square) % self.P or x == 0 and sign:
            return None
        x = self.P - x if x & 1 != sign else x
        return x, y, 1, x * y % self.P

    def add(self, left, right):
        p = self.P
        a, b = (left[1] - left[0]) * (right[1] - right[0]) % p, (left[1] + left[0]) * (right[1] + right[0]) % p
        c, d = 2 * left[3] * right[3] * self.D % p, 2 * left[2] * right[2] % p
        e, f, g, h = b - a, d - c, d + c, b + a
        return e * f % p, g * h % p, f * g % p, e * h % p

    def encoded(self, point):
        inverse = pow(point[2], -1, self.P)
        x, y = point[0] * inverse % self.P, point[1] * inverse % self.P
        return (y | (x & 1) << 255).to_bytes(32, "little")

    def verifies(self, value, message, _):
        if len(value) != 64:
            return False
        key, s = self.point(self.data), int.from_bytes(value[32:], "little")
        if key is None or s >= self.L:
            return False
        h = int.from_bytes(hashlib.sha512(value[:32] + self.data + message).digest(), "little") % self.L
        y = 4 * pow(5, -1, self.P) % self.P
        base = self.point(y.to_bytes(32, "little"))
        minus = (self.P - key[0], key[1], 1, self.P - key[3])
        # s × base − h × key has to be the point of the signature.
        found = self.add(multiple(self.add, s, base, self.ZERO), multiple(self.add, h, minus, self.ZERO))
        return self.encoded(found) == value[:32]


# Allowed signers

KNOWN = ("cert-authority", "namespaces", "valid-after", "valid-before")
OPTION = re.compile(rb'([^=, \t]*)(?:="((?:\\"|[^"])*)")?')


def key_in(text):
    """The key that a text begins with, or None."""
    match = re.match(rb"([^ \t]+)[ \t]+([^ \t]*)", text)
    try:
        data = decoded(match[2]) if match else b""
        return data if data and Reader(data).string() == match[1] else None
    except Unreadable:
        return None


def options_of(text, line):
    """The options that a text begins with, and what follows them."""
    options, place = {}, 0
    while True:
        match = OPTION.match(text, place)
        name, value = match[1].decode("ascii", "replace").lower(), match[2]
        if name not in KNOWN or name in options or (value is None) != (name == "cert-authority"):
            raise Unreadable("line %d: not a public key, and not an option" % line)
        options[name], place = value if value is None else value.replace(b'\\"', b'"'), match.end()
        if text[place:place + 1] != b",":
            break
        place += 1
    if text[place:place + 1] not in (b" ", b"\t"):
        raise Unreadable("line %d: no public key after the options" % line)
    for name in ("valid-after", "valid-before"):
        if name in options:
            options[name] = time_of(options[name], line)
    period = options.get("valid-after"), options.get("valid-before")
    if all(isinstance(limit, int) for limit in period) and period[0] >= period[1]:
        raise Unreadable("line %d: an empty validity period" % line)
    return options, text[place:].lstrip(b" \t")


def time_of(text, line):
    """Unix seconds of a time with Z; "local" for one without."""
    match = re.fullmatch(rb"([0-9]{8}|[0-9]{12}|[0-9]{14})([Zz]?)", text)
    try:
        moment = time.strptime(match[1].decode().ljust(14, "0"), "%Y%m%d%H%M%S") if match else None
    except ValueError:
        moment = None
    if moment is None or match[1][12:14] > b"59":
        raise Unreadable("line %d: not a time" % line)
    return calendar.timegm(moment) if match[2] else "local"


def signers_of(file):
    """Lines of a file of allowed signers: number, principals, key, options."""
    if len(file) > SIGNERS_LIMIT:
        raise Unreadable("more than %d bytes" % SIGNERS_LIMIT)
    signers = []
    for line, text in enumerate(file.split(b"\n"), 1):
        text = (text[:-1] if text.endswith(b"\r") else text).lstrip(b" \t")
        if not text or text.startswith(b"#"):
            continue
        match = re.match(rb'"([^"]+)"|([^" \t][^ \t]*)', text)
        if match is None:
            raise Unreadable("line %d: no name" % line)
        rest = text[match.end():].lstrip(b" \t")
        key, options = key_in(rest), {}
        if key is None:
            options, rest = options_of(rest, line)
            key = key_in(rest)
        if key is None:
            raise Unreadable("line %d: no public key" % line)
        signers.append((line, match[1] or match[2], key, options))
    return signers


def matches(text, patterns):
    """Whether a pattern matches, and none with ! does."""
    found = False
    for pattern in patterns.split(b","):
        negated = pattern.startswith(b"!")
        pattern = pattern[1:] if negated else pattern
        expression = b"".join({b"*": b".*", b"?": b"."}.get(byte, re.escape(byte)) for byte in re.findall(rb"(?s).", re.sub(rb"\*+", b"*", pattern)))
        if re.fullmatch(expression, text, re.DOTALL):
            if negated:
                return False
            found = True
    return found


ORDER = ("signature.unknown_key", "signature.identity", "signature.namespace", "signature.expired")


def failure(signer, identity, now, namespace):
    """Why a line does not accept its own key, or None."""
    line, principals, _, options = signer
    if identity is not None and not matches(identity, principals):
        return "signature.identity"
    if "namespaces" in options and not matches(namespace.encode(), options["namespaces"]):
        return "signature.namespace"
    after, before = options.get("valid-after"), options.get("valid-before")
    if "local" in (after, before):
        raise Unreadable("line %d: a time of an unknown zone" % line)
    expired = after is not None and now < after or before is not None and now > before
    return "signature.expired" if expired else None


def check(file, text, signers, identity=None, now=None, namespace=NAMESPACE):
    """The code of what is invalid, or None, and what the allowed signers call the key."""
    signers, signature = signers_of(signers), Signature(file)
    if signature.namespace != namespace.encode():
        return "signature.namespace", None
    if signature.refused():
        return "signature.algorithm", None
    if not signature.key.verifies(signature.value, signature.signed(text), signature.algorithm):
        return "signature.bad", None
    place, nearest = 0, None
    for signer in signers:
        if signer[2] != signature.key_blob or "cert-authority" in signer[3]:
            continue
        code = failure(signer, identity, time.time() if now is None else now, namespace)
        if code is None:
            return None, signer[1]
        if ORDER.index(code) > place:
            place, nearest = ORDER.index(code), signer[1]
    return ORDER[place], nearest
