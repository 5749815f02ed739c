"""Encrypted iPhone backups: found, opened with their password, decrypted in memory; and everything that is not one."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
import unittest

import backup_builder
from backup_builder import DATE, HEALTH, PASSWORD, Backup, encrypted, number, of_databases, secret
from support import ENVIRONMENT, STRACE, Case, can_trace, contents, hp_export, query, tool
from test_backup import AT, build
from test_backup import expected as expected_of_databases

SECURE, SECURE_LOG, SOURCES, SOURCES_LOG = HEALTH


def expected():
    """The lines of the databases; a backup states the phone's system, too."""
    return expected_of_databases().replace(b'"trigger_reason":"iphone_backup"', b'"trigger_reason":"iphone_backup","os_version":"18.5"')


def tag(backup, name, value, place=0):
    """Gives the n-th entry of a tag another value; `None` removes it."""
    at = [index for index, (tag, _) in enumerate(backup.bag) if tag == name][place]
    backup.bag[at:at + 1] = [] if value is None else [(name, value)]


class BackupCase(Case):
    def setUp(self):
        super().setUp()
        self.health, self.phone, self.temporary = self.folder / "Health", self.folder / "phones" / "0000-TEST", self.folder / "temporary"
        self.temporary.mkdir()
        build(self.health, 26).close()
        self.password = self.folder / "password"
        self.password.write_text(PASSWORD + "\n")
        self.environment = {**ENVIRONMENT, "TMPDIR": str(self.temporary)}

    def made(self, **options):
        return of_databases(self.health, **options)

    def words(self, *arguments):
        return ["convert", "--iphone-backup", self.phone, "--backup-password-file", self.password, *arguments]

    def convert(self, *arguments, **options):
        return hp_export(*self.words(*arguments), env=self.environment, **options)

    def refused(self, backup, *parts):
        """A backup is refused with a message, and nothing is left."""
        backup.write(self.phone)
        output = self.folder / "feed.jsonl"
        before = {path: path.read_bytes() for path in self.phone.rglob("*") if path.is_file()}
        result = self.convert("-o", output)
        self.assert_refused(result)
        for part in parts:
            self.assertIn(part, result.err)
        self.assertEqual(result.out, b"")
        self.assertFalse(output.exists())
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual({path: path.read_bytes() for path in self.phone.rglob("*") if path.is_file()}, before)


class Opening(BackupCase):
    def test_a_backup_is_the_feed_of_its_databases(self):
        self.made().write(self.phone)
        result = self.convert()
        self.assertEqual((result.status, result.out), (0, expected()), result)
        self.assertIn("tried on synthetic backups only", result.err)
        # `Manifest.db` says that the phone had no log.
        self.assertNotIn("-wal", result.err)

    def test_records_without_an_archive_are_read(self):
        backup = self.made()
        backup.flat = True
        backup.write(self.phone)
        self.assertEqual(self.convert().out, expected())

    def test_the_log_is_read(self):
        data = sqlite3.connect(self.health / "healthdb_secure.sqlite")
        self.addCleanup(data.close)
        data.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE quantity_samples SET quantity = 42 WHERE data_id = 3;")
        self.assertTrue((self.health / "healthdb_secure.sqlite-wal").exists())
        backup = self.made()
        backup.write(self.phone)
        changed = self.convert()
        self.assertEqual(changed.out, expected().replace(b'"numeric_value":41.0', b'"numeric_value":42.0'))
        # The phone had a log, and the copy does not.
        log = self.phone / backup.id(SECURE_LOG)[:2] / backup.id(SECURE_LOG)
        log.unlink()
        self.assert_refused(self.convert(), "no such file: the backup lacks " + SECURE_LOG)

    def test_a_capture_takes_it_and_knows_it_again(self):
        self.made().write(self.phone)
        feed = self.folder / "feed.jsonl"
        self.assert_good(self.convert("-o", feed))
        first, second = (hp_export("capture", self.folder / "archive.sqlite", "--feed", feed, "--json") for _ in range(2))
        self.assertEqual(json.loads(first.out)["observations"][0]["records"], 10)
        self.assertEqual(json.loads(second.out)["observations"][0]["start"], "compared")

    def test_an_archive_takes_the_backup_itself(self):
        """The same observation as that of its feed; another phone is refused."""
        backup = self.made()
        backup.write(self.phone)
        archive = self.folder / "archive.sqlite"
        words = ("capture", archive, "--iphone-backup", self.phone, "--backup-password-file", self.password, "--json")
        first = json.loads(self.assert_good(hp_export(*words)).out)["observations"][0]
        self.assertEqual((first["records"], first["rejected"], first["new_relationships"]), (10, {}, 3))
        self.assertEqual(query(archive, "SELECT observed_at, os_version FROM observations"), [(1788220800, "18.5")])
        self.assertEqual(json.loads(hp_export(*words).out)["observations"][0]["start"], "compared")
        backup.manifest["Lockdown"]["UniqueDeviceID"] = "0001-TEST"
        backup.manifest["Date"] = DATE.replace(month=10)
        backup.write(self.phone)
        before = contents(archive)
        self.assert_refused(hp_export(*words), "the backup is of another phone than the one before")
        self.assertEqual(contents(archive), before)
        self.assert_good(hp_export(*words, "--accept-phone", "--quiet"))
        self.assertEqual(query(archive, "SELECT detail_json FROM context_log WHERE event_kind = 'guard_overridden'"), [('{"option":"accept-phone"}',)])
        # From then on it is the phone of the archive, and no backup may be older.
        before = contents(archive)
        backup.manifest["Date"] = DATE.replace(day=20)
        backup.write(self.phone)
        self.assert_refused(hp_export(*words), "of this device chain was made later than this one")
        self.assertEqual(contents(archive), before)
        backup.manifest["Date"] = DATE.replace(month=11)
        backup.write(self.phone)
        self.assert_good(hp_export(*words))
        self.password.write_text("wrong")
        self.assert_refused(hp_export(*words), "wrong password")

    def test_the_moment_is_that_of_the_backup(self):
        self.made().write(self.phone)
        self.assert_refused(self.convert("--observed-at", AT), "a backup states when it was made", status=2)

    def test_the_folder_above_lists_its_phones(self):
        self.made().write(self.phone)
        self.made().write(self.phone.parent / "0001-TEST")
        result = hp_export("convert", "--iphone-backup", self.phone.parent)
        self.assert_refused(result, "the folder of 2 backups")
        self.assertIn("%s (iPhone15,2, iOS 18.5, 2026-09-01T00:00:00Z)" % self.phone, result.err)
        self.assertIn("0001-TEST (iPhone15,2", result.err)

    def test_needed_files_are_named_and_enough(self):
        backup = self.made()
        backup.write(self.phone)
        (self.phone / "ff").mkdir()
        (self.phone / "ff" / ("f" * 40)).touch()
        result = self.assert_good(hp_export("convert", "--list-needed", self.phone))
        needed = result.out.decode().split()
        self.assertEqual(needed, ["Manifest.plist", "Status.plist", "Manifest.db", "51/" + backup.id(SECURE), "fa/" + backup.id(SOURCES)])
        self.assertIn("cc/" + backup.id(SECURE_LOG), result.err)
        copy = self.folder / "copy"
        for name in needed:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((self.phone / name).read_bytes())
        self.phone = copy
        self.assertEqual(self.convert().out, expected())
        for name in needed:
            with self.subTest(name):
                content = (copy / name).read_bytes()
                (copy / name).unlink()
                listed = hp_export("convert", "--list-needed", copy)
                self.assertEqual((listed.status, listed.out.decode().split()), (2, [other for other in needed if other != name]))
                self.assertIn("lacks " + name, listed.err)
                self.assertIn(name, self.convert().err)
                self.assertEqual(self.convert().status, 2)
                (copy / name).write_bytes(content)

    def test_what_is_nothing_of_a_phone_is_refused(self):
        (self.folder / "empty").mkdir()
        self.assert_refused(hp_export("convert", "--iphone-backup", self.folder / "empty"), "neither a backup with Manifest.plist")
        self.assert_refused(hp_export("convert", "--iphone-backup", self.password), "not a folder")
        self.assert_refused(hp_export("convert", "--iphone-backup", self.folder / "none"), "no such file or folder")


class Passwords(BackupCase):
    def setUp(self):
        super().setUp()
        self.made().write(self.phone)

    def test_a_wrong_password_is_not_the_passcode(self):
        for text in ("correct hors", "correct horse ", "Correct horse"):
            self.password.write_text(text)
            result = self.convert()
            self.assert_refused(result, "wrong password")
            self.assertIn("its passcode is another", result.err)

    def test_a_file_has_one_line(self):
        for content in (PASSWORD, PASSWORD + "\n", PASSWORD + "\r\n", PASSWORD + "\nanother line\n"):
            self.password.write_text(content)
            self.assertEqual(self.convert().out, expected())
        for content in ("", "\n", "x" * 4097, "x" * 100_000):
            self.password.write_text(content)
            self.assert_refused(self.convert(), "the password has to have 1 to 4096 bytes")
        self.password.unlink()
        self.assert_refused(self.convert(), "password: cannot open: no such file")

    def test_standard_input_and_a_descriptor_give_it(self):
        self.password = "-"
        self.assertEqual(self.convert(input=(PASSWORD + "\n").encode()).out, expected())
        reading, writing = os.pipe()
        os.write(writing, PASSWORD.encode())
        os.close(writing)
        self.password = "/dev/fd/%d" % reading
        self.assertEqual(self.convert(pass_fds=[reading]).out, expected())
        os.close(reading)

    def test_without_a_terminal_a_file_is_asked_for(self):
        result = hp_export("convert", "--iphone-backup", self.phone)
        self.assert_refused(result, "--backup-password-file")

    def test_a_terminal_does_not_show_it(self):
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        process = subprocess.Popen([tool("hp-export"), "convert", "--iphone-backup", self.phone], stdin=follower, stdout=subprocess.PIPE, stderr=follower, env=self.environment)
        os.close(follower)
        shown = b""
        while b"not shown" not in shown or b"\n" not in shown:
            shown += os.read(leader, 4096)
        # The question comes before the terminal is silent: what is typed too early is thrown away.
        while self.echoes(leader):
            pass
        os.write(leader, PASSWORD.encode() + b"\n")
        out = process.communicate(timeout=60)[0]
        try:
            while piece := os.read(leader, 4096):
                shown += piece
        except OSError:
            pass
        self.assertEqual((process.returncode, out), (0, expected()))
        self.assertNotIn(PASSWORD.encode(), shown)

    @staticmethod
    def echoes(terminal):
        import termios
        return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)

    def test_an_interrupted_question_shows_what_is_typed_again(self):
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        self.addCleanup(os.close, follower)
        process = subprocess.Popen([tool("hp-export"), "convert", "--iphone-backup", self.phone], stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        while self.echoes(leader):
            pass
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertTrue(self.echoes(leader))


class Refused(BackupCase):
    def test_a_backup_without_encryption_says_how_to_make_one(self):
        backup = self.made()
        for value in (False, None):
            backup.manifest["IsEncrypted"] = value
            if value is None:
                del backup.manifest["IsEncrypted"]
            self.refused(backup, "this backup is not encrypted, and Apple leaves health data out of such backups", "turn on \"Encrypt local backup\"")

    def test_old_systems_are_named(self):
        backup = self.made()
        backup.manifest_key = None
        self.refused(backup, "of iOS before 10.2", "not supported")
        (self.phone / "Manifest.db").rename(self.phone / "Manifest.mbdb")
        self.assert_refused(self.convert(), "with Manifest.mbdb, of iOS before 10.2")

    def test_an_unfinished_backup_is_refused(self):
        for state in ("uploading", "", 5, None):
            backup = self.made()
            backup.status["SnapshotState"] = state
            if state is None:
                del backup.status["SnapshotState"]
            self.refused(backup, "Status.plist: the backup is not finished")

    def test_a_backup_without_a_date_is_refused(self):
        backup = self.made()
        for value in ("2026-09-01", None):
            backup.manifest["Date"] = value
            if value is None:
                del backup.manifest["Date"]
            self.refused(backup, "no Date")

    def test_key_bags_are_checked(self):
        for name in ("TYPE", "SALT", "ITER", "DPIC", "DPSL"):
            with self.subTest(name):
                backup = self.made()
                tag(backup, name, None)
                self.refused(backup, "Manifest.plist: the key bag has no " + name)
        for name, value, text in (("ITER", number(10 ** 9), "ITER is 1000000000, not 1 to 100000000 iterations"), ("DPIC", number(10 ** 9), "DPIC is 1000000000"), ("DPIC", number(0), "DPIC is 0"),
                                  ("ITER", b"\1", "ITER is not a number of 4 bytes"), ("TYPE", number(0), "not one of a backup"), ("SALT", b"", "SALT has 0 bytes")):
            with self.subTest(name):
                backup = self.made()
                tag(backup, name, value)
                self.refused(backup, text)
        for name, text in (("CLAS", "has no CLAS"), ("WRAP", "has no WRAP"), ("WPKY", "has no WPKY of 40 bytes")):
            with self.subTest(name):
                backup = self.made()
                tag(backup, name, None, 1 if name == "WRAP" else 0)
                self.refused(backup, text)
        backup = self.made()
        backup.bag.append(("XXXX", b"y"))
        # A length beyond the end of the bag: the plist has it as it is.
        original = backup_builder.entry
        try:
            backup_builder.entry = lambda name, value: original(name, value).replace(b"XXXX\0", b"XXXX\xff")
            self.refused(backup, "an entry of the key bag is longer than the bag")
        finally:
            backup_builder.entry = original

    def test_damaged_classes_and_keys_are_named(self):
        for place, text in ((3, "Manifest.plist: the key bag's class 4 is missing or damaged"), (1, "class 2 is missing or damaged")):
            backup = self.made()
            tag(backup, "WPKY", bytes(40), place)
            self.refused(backup, text)
        backup = self.made()
        tag(backup, "WPKY", bytes(40), 6)
        backup.write(self.phone)
        self.assertEqual(self.convert().out, expected())
        backup = self.made()
        backup.manifest_key = b"\x0b\0\0\0" + backup.manifest_key[4:]
        self.refused(backup, "class 11 does not open it")
        backup = self.made()
        backup.keys[SECURE] = b"\2\0\0\0" + bytes(40)
        self.refused(backup, "the key of the file is damaged")
        backup.keys[SECURE] = b""
        self.refused(backup, "has no key")
        backup.keys[SECURE] = b"\2\0\0\0"
        self.refused(backup, "a wrapped key of 4 bytes")

    def test_names_of_files_are_digits(self):
        for identifier in ("../x", "../../../../../../etc/passwd", "5" * 39, "5" * 41, "g" * 40, "A" * 40, "../" + "5" * 37, ""):
            with self.subTest(identifier):
                backup = self.made()
                backup.ids[SECURE] = identifier
                self.refused(backup, "the row of %s: its fileID is not 40 hexadecimal digits" % SECURE)
        backup = self.made()
        backup.ids[SECURE] = "5" * 40
        self.refused(backup, "no such file: the backup lacks " + SECURE)

    def test_links_are_not_followed(self):
        backup = self.made()
        backup.write(self.phone)
        place = self.phone / "51" / backup.id(SECURE)
        place.rename(self.folder / "elsewhere")
        place.symlink_to(self.folder / "elsewhere")
        self.assert_refused(self.convert(), backup.id(SECURE))

    def test_ends_of_files_are_checked(self):
        content = (self.health / "healthdb_secure.sqlite").read_bytes()
        for padding in (bytes(16), bytes([17]) * 16, b"\1" * 15 + b"\2", b"\xff" * 16):
            for name in (SECURE, "Manifest.db"):
                with self.subTest(padding):
                    backup = self.made()
                    backup.padding[name] = padding
                    self.refused(backup, "the file has no padding")
        for raw, text in ((b"", "the file is empty"), (bytes(15), "not whole blocks"), (encrypted(secret(SECURE), content)[:-16], "the file has no padding"),
                          (encrypted(secret(SECURE), b""), "not a SQLite database"), (encrypted(secret(SECURE), bytes(8192)), "not a SQLite database")):
            with self.subTest(text):
                backup = self.made()
                backup.raw[SECURE] = raw
                self.refused(backup, text)

    def test_files_that_another_program_decrypted_are_named(self):
        backup = self.made()
        backup.write(self.phone)
        plain = {"Manifest.db": backup.database(), "51/" + backup.id(SECURE): backup.files[SECURE], "fa/" + backup.id(SOURCES): backup.files[SOURCES]}
        for name, content in plain.items():
            path = self.phone / name
            kept = path.read_bytes()
            path.write_bytes(content)
            result = self.convert()
            self.assert_refused(result, "%s: the file is decrypted, and the backup is encrypted" % path)
            self.assertIn("another program decrypted it", result.err)
            path.write_bytes(kept)
        self.assertEqual(self.convert().out, expected())
        # It needs no password to be named.
        (self.phone / "Manifest.db").write_bytes(plain["Manifest.db"])
        self.password.write_text("wrong")
        self.assert_refused(self.convert(), "Manifest.db: the file is decrypted")

    def test_a_backup_without_health_is_refused(self):
        backup = self.made()
        backup.domain = "OtherDomain"
        self.refused(backup, "the backup has no " + SECURE)

    def test_property_lists_are_checked(self):
        backup = self.made()
        backup.write(self.phone)
        for name in ("Manifest.plist", "Status.plist"):
            whole = (self.phone / name).read_bytes()
            for content, text in ((b"", "not a binary property list"), (whole[:-1], ""), (b"<?xml version='1.0'?><plist/>", "an XML property list"), (whole[:-32] + bytes(32), "trailer"),
                                  (b"bplist00" + b"\xa1\0" + b"\x08" + bytes(6) + b"\1\1" + bytes(7) + b"\1" + bytes(15) + b"\x0a", "")):
                with self.subTest(content[:8]):
                    (self.phone / name).write_bytes(content)
                    self.assert_refused(self.convert(), text)
            (self.phone / name).write_bytes(whole)
        self.assertEqual(self.convert().out, expected())

    def test_every_bit_of_the_lists_may_be_another(self):
        """Reading ends soon, with the feed or with an error."""
        self.made().write(self.phone)
        for name in ("Manifest.plist", "Status.plist"):
            whole = (self.phone / name).read_bytes()
            for place in range(0, len(whole), 41):
                changed = bytearray(whole)
                changed[place] ^= 0xFF
                (self.phone / name).write_bytes(changed)
                result = self.convert()
                self.assertIn(result.status, (0, 2), (name, place, result))
            (self.phone / name).write_bytes(whole)


class Traces(BackupCase):
    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_nothing_is_written_but_the_feed(self):
        data = sqlite3.connect(self.health / "healthdb_secure.sqlite")
        self.addCleanup(data.close)
        data.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE quantity_samples SET quantity = 42 WHERE data_id = 3;")
        self.made().write(self.phone)
        log = self.folder / "calls"
        calls = "openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,mkdir,mkdirat,sendfile,copy_file_range,splice,memfd_create,rename,renameat,renameat2,linkat,symlinkat,ftruncate,fallocate"
        with open(self.folder / "feed", "wb") as feed:
            result = subprocess.run([STRACE, "-f", "-y", "-s", "0", "-e", "trace=" + calls, "-o", log, tool("hp-export"), *map(os.fspath, self.words("--quiet"))], stdout=feed, stderr=subprocess.PIPE, env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line.split(None, 1)[1] for line in log.read_text().splitlines() if "(" in line]
        opened = [line for line in lines if line.startswith(("open", "creat")) and any(flag in line for flag in ("O_WRONLY", "O_RDWR", "O_CREAT"))]
        self.assertEqual(opened, [])
        others = [line for line in lines if not line.startswith("open") and "<%s>" % (self.folder / "feed") not in line and " = -1 " not in line]
        self.assertEqual(others, [])
        self.assertTrue(any(line.startswith("write(") for line in lines))

    def test_a_killed_run_leaves_nothing(self):
        data = sqlite3.connect(self.health / "healthdb_secure.sqlite")
        data.executescript("WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO samples SELECT i, i, i, 7 FROM n;"
                           "INSERT INTO objects SELECT data_id, zeroblob(12) || CAST(printf('%04d', data_id) AS BLOB), 3, 1, 0 FROM samples WHERE data_id >= 100;")
        data.close()
        self.made().write(self.phone)
        process = subprocess.Popen([tool("hp-export"), *map(os.fspath, self.words())], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment)
        # Nobody reads the pipe: the run waits in the middle.
        self.assertTrue(process.stdout.read(1))
        process.kill()
        process.wait(60)
        process.stdout.close()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["Health", "password", "phones", "temporary"])


    def test_what_a_killed_run_left_is_removed(self):
        self.made().write(self.phone)
        left, others = (self.folder / name for name in (".feed.jsonl.dead.partial", ".other.jsonl.dead.partial"))
        for path in (left, others):
            path.write_bytes(b"half")
        self.assert_good(self.convert("-o", self.folder / "feed.jsonl"))
        self.assertEqual((left.exists(), others.exists()), (False, True))
        self.assertEqual((self.folder / "feed.jsonl").read_bytes(), expected())


class Peers(BackupCase):
    """Two programs of others open what the builder makes, so that the tests are not one author's belief."""

    def peer(self, module):
        try:
            return __import__(module)
        except ImportError:
            self.skipTest(module + " is not installed")

    def setUp(self):
        super().setUp()
        self.made().write(self.phone)
        self.files = {name: (self.health / os.path.basename(name)).read_bytes() for name in (SECURE, SOURCES)}

    def test_iphone_backup_decrypt(self):
        peer = self.peer("iphone_backup_decrypt")
        backup = peer.EncryptedBackup(backup_directory=str(self.phone), passphrase=PASSWORD)
        for name, content in self.files.items():
            self.assertEqual(backup.extract_file_as_bytes(name, domain_like="HealthDomain"), content)

    def test_pyiosbackup(self):
        self.peer("pyiosbackup")
        from pyiosbackup import Backup as Peer
        backup = Peer.from_path(self.phone, PASSWORD)
        for name, content in self.files.items():
            self.assertEqual(backup.get_entry_by_domain_and_path("HealthDomain", name).read_bytes(), content)


if __name__ == "__main__":
    unittest.main()
