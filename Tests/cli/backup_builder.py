"""Encrypted iPhone backups for tests, from the description in Spec/iphone-backup.md: synthetic, with the ciphers of OpenSSL by ctypes and `plistlib` of Python."""

import ctypes
import ctypes.util
import datetime
import hashlib
import os
import pathlib
import plistlib
import sqlite3
import struct
import tempfile

PASSWORD = "correct horse"
DATE = datetime.datetime(2026, 9, 1)
HEALTH = ("Health/healthdb_secure.sqlite", "Health/healthdb_secure.sqlite-wal", "Health/healthdb.sqlite", "Health/healthdb.sqlite-wal")

_crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
for _name in ("EVP_CIPHER_CTX_new", "EVP_aes_256_wrap", "EVP_aes_256_cbc"):
    getattr(_crypto, _name).restype = ctypes.c_void_p


def cipher(name, key, iv, data, padded=True):
    """What EVP_Encrypt… makes of data."""
    context = ctypes.c_void_p(_crypto.EVP_CIPHER_CTX_new())
    _crypto.EVP_CIPHER_CTX_set_flags(context, 1)
    out, size, last = ctypes.create_string_buffer(len(data) + 64), ctypes.c_int(), ctypes.c_int()
    assert _crypto.EVP_EncryptInit_ex(context, ctypes.c_void_p(getattr(_crypto, name)()), None, key, iv) == 1
    _crypto.EVP_CIPHER_CTX_set_padding(context, 1 if padded else 0)
    assert _crypto.EVP_EncryptUpdate(context, out, ctypes.byref(size), data, len(data)) == 1
    assert _crypto.EVP_EncryptFinal_ex(context, ctypes.byref(out, size.value), ctypes.byref(last)) == 1
    _crypto.EVP_CIPHER_CTX_free(context)
    return out.raw[:size.value + last.value]


def wrapped(key, content):
    return cipher("EVP_aes_256_wrap", key, None, content, padded=False)


def encrypted(key, content, padding=None):
    """AES-256-CBC from zeros on; `padding` is another text than PKCS#7 for the end."""
    if padding is not None:
        return cipher("EVP_aes_256_cbc", key, bytes(16), content + padding, padded=False)
    return cipher("EVP_aes_256_cbc", key, bytes(16), content)


def number(value):
    return struct.pack(">I", value)


def entry(tag, value):
    return tag.encode() + number(len(value)) + value


def secret(name, size=32):
    return hashlib.sha256(b"hp-test:" + name.encode()).digest()[:size]


class Backup:
    """A backup: its parts can be changed before `write`."""

    def __init__(self, files, password=PASSWORD, iterations=1000):
        """`files` maps a path of HealthDomain to its bytes."""
        self.files = dict(files)
        self.manifest = {"Version": "10.0", "Date": DATE, "IsEncrypted": True, "WasPasscodeSet": True,
                         "Lockdown": {"ProductVersion": "18.5", "ProductType": "iPhone15,2", "BuildVersion": "22F76", "UniqueDeviceID": "0000-TEST", "DeviceName": "Test"}}
        self.status = {"UUID": "X", "Version": "3.3", "BackupState": "new", "IsFullBackup": True, "SnapshotState": "finished", "Date": DATE}
        self.classes = {number: secret("class %d" % number) for number in range(1, 12)}
        first = hashlib.pbkdf2_hmac("sha256", password.encode(), secret("dpsl", 20), iterations)
        key = hashlib.pbkdf2_hmac("sha1", first, secret("salt", 20), iterations, 32)
        self.bag = [("VERS", number(5)), ("TYPE", number(1)), ("UUID", secret("bag", 16)), ("HMCK", secret("hmck", 40)), ("WRAP", number(1)), ("SALT", secret("salt", 20)),
                    ("ITER", number(iterations)), ("DPWT", number(1)), ("DPIC", number(iterations)), ("DPSL", secret("dpsl", 20))]
        for kind, content in self.classes.items():
            self.bag += [("UUID", secret("uuid %d" % kind, 16)), ("CLAS", number(kind)), ("WRAP", number(2)), ("KTYP", number(0)), ("WPKY", wrapped(key, content))]
        self.manifest_key = struct.pack("<I", 4) + wrapped(self.classes[4], secret("manifest"))
        # Rows of `Files` and bytes of files that are other than they should be, by path.
        self.ids, self.keys, self.padding, self.flat, self.raw = {}, {}, {}, False, {}
        self.domain = "HealthDomain"

    def id(self, path):
        return self.ids.get(path, hashlib.sha1(("HealthDomain-" + path).encode()).hexdigest())

    def record(self, path):
        """What `Files.file` has of a path: an archived object, or its members."""
        key = self.keys.get(path, struct.pack("<I", 2) + wrapped(self.classes[2], secret(path)))
        # The size is wrong, as on phones.
        members = {"Size": 3, "LastModified": 1, "LastStatusChange": 1, "Birth": 1, "UserID": 501, "GroupID": 501, "InodeNumber": 42, "Flags": 0, "Mode": 0o100644, "ProtectionClass": 2, "RelativePath": path if self.flat else plistlib.UID(2)}
        if self.flat:
            return plistlib.dumps({**members, **({"EncryptionKey": key} if key else {})}, fmt=plistlib.FMT_BINARY)
        objects = ["$null", {**members, "$class": plistlib.UID(3)}, path, {"$classname": "MBFile", "$classes": ["MBFile", "NSObject"]}]
        if key:
            objects[1]["EncryptionKey"] = plistlib.UID(4)
            objects += [{"NS.data": key, "$class": plistlib.UID(5)}, {"$classname": "NSMutableData", "$classes": ["NSMutableData", "NSData", "NSObject"]}]
        return plistlib.dumps({"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": plistlib.UID(1)}, "$objects": objects}, fmt=plistlib.FMT_BINARY)

    def database(self):
        """The bytes of `Manifest.db`, not encrypted."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "Manifest.db")
            data = sqlite3.connect(path)
            data.executescript("CREATE TABLE Files(fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB); CREATE INDEX FilesDomainIdx ON Files(domain);"
                               "CREATE TABLE Properties(key TEXT PRIMARY KEY, value BLOB);")
            data.execute("INSERT INTO Files VALUES(?, 'HomeDomain', 'Library/SMS/sms.db', 1, x'00')", ("3d0d7e5fb2ce288813306e4d4636395e047a3d28",))
            for name in self.files:
                data.execute("INSERT INTO Files VALUES(?, ?, ?, 1, ?)", (self.id(name), self.domain, name, self.record(name)))
            data.commit()
            data.close()
            return path.read_bytes()

    def write(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        bag = b"".join(entry(tag, value) for tag, value in self.bag)
        manifest = {**self.manifest, "BackupKeyBag": bag, **({"ManifestKey": self.manifest_key} if self.manifest_key else {})}
        for name, content in (("Manifest", manifest), ("Status", self.status)):
            (folder / (name + ".plist")).write_bytes(plistlib.dumps(content, fmt=plistlib.FMT_BINARY))
        (folder / "Info.plist").write_bytes(plistlib.dumps({"Target Identifier": "0000-TEST"}))
        (folder / "Manifest.db").write_bytes(encrypted(secret("manifest"), self.database(), self.padding.get("Manifest.db")))
        for name, content in self.files.items():
            identifier = hashlib.sha1(("HealthDomain-" + name).encode()).hexdigest()
            (folder / identifier[:2]).mkdir(exist_ok=True)
            content = self.raw[name] if name in self.raw else encrypted(secret(name), content, self.padding.get(name))
            (folder / identifier[:2] / identifier).write_bytes(content)
        return folder


def of_databases(folder, **options):
    """A backup of the health databases in a folder, with the logs that they have there."""
    files = {}
    for path in HEALTH:
        place = pathlib.Path(folder, os.path.basename(path))
        if place.exists():
            files[path] = place.read_bytes()
    return Backup(files, **options)
