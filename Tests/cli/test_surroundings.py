"""What lies around the tools: libraries beside the program, folders of the user in the temporary folder, a system without /proc."""

import os
import pathlib
import shutil
import struct
import subprocess
import time
import unittest

from support import ENVIRONMENT, NOBODY, PATIENCE, Case, run, Run, tool, vectors

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
NAMES = ("hp-export", "hp-verify")
# elf.h
PT_DYNAMIC, DT_NEEDED, DT_STRTAB, DT_RPATH, DT_BIND_NOW, DT_RUNPATH, DT_FLAGS, DT_FLAGS_1 = 2, 1, 5, 15, 24, 29, 30, 0x6FFFFFFB
PT_LOAD, PT_GNU_RELRO, DF_BIND_NOW, DF_1_NOW = 1, 0x6474E552, 8, 1


class Elf:
    """The dynamic section of a program (elf(5), 64 bits, little-endian)."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        if data[:6] != b"\x7fELF\x02\x01":
            raise unittest.SkipTest("no 64-bit little-endian ELF file")
        (start,), (size, count) = struct.unpack_from("<Q", data, 32), struct.unpack_from("<HH", data, 54)
        parts = [struct.unpack_from("<IIQQQQQQ", data, start + number * size) for number in range(count)]
        self.kinds = {part[0] for part in parts}
        _, _, place, _, _, length, _, _ = next(part for part in parts if part[0] == PT_DYNAMIC)
        entries = [struct.unpack_from("<QQ", data, at) for at in range(place, place + length, 16)]
        self.values = dict(entries)
        address = self.values[DT_STRTAB]
        names = next(part[2] + address - part[3] for part in parts if part[0] == PT_LOAD and part[3] <= address < part[3] + part[5])
        self.needed = [data[names + value:data.index(b"\0", names + value)].decode() for tag, value in entries if tag == DT_NEEDED]


class Libraries(Case):
    def test_no_program_names_a_folder_of_libraries_and_all_symbols_are_bound_at_the_start(self):
        for name in NAMES:
            with self.subTest(name):
                elf = Elf(tool(name))
                self.assertNotIn(DT_RPATH, elf.values)
                self.assertNotIn(DT_RUNPATH, elf.values)
                self.assertTrue(DT_BIND_NOW in elf.values or elf.values.get(DT_FLAGS, 0) & DF_BIND_NOW or elf.values.get(DT_FLAGS_1, 0) & DF_1_NOW)
                self.assertIn(PT_GNU_RELRO, elf.kinds)

    @unittest.skipUnless(COMPILER, "there is no C compiler")
    def test_no_library_beside_a_program_is_loaded(self):
        """One for each that it needs: if one were loaded, it would end the program with a status of its own."""
        source = self.folder / "planted.c"
        source.write_text("#include <unistd.h>\n__attribute__((constructor)) static void begin(void) { _exit(77); }\n")
        for name in NAMES:
            copy = self.folder / name
            shutil.copy(tool(name), copy)
            self.assertIn("libzstd.so.1", Elf(copy).needed)
            for library in Elf(copy).needed:
                with self.subTest(name, library=library):
                    planted = self.folder / library
                    subprocess.run([COMPILER, "-shared", "-fPIC", "-nostdlib", "-o", planted, source, "-Wl,-soname," + library, "-lc"], check=True)
                    for place in (self.folder, "/"):
                        self.assertEqual(subprocess.run([copy, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=place).returncode, 0)
                    planted.unlink()


class TemporaryFolders(Case):
    """A folder is removed from the temporary folder only if a tool made it, and then only what a tool put there."""

    MARKER, TEXT = "healthprobe-private-copy", "A tool of HealthProbe made this folder and removes it.\n"
    OURS = ("archive.sqlite", "archive.sqlite-wal", "archive.sqlite-shm", "archive.sqlite-journal", ".archive.sqlite.0a1b2c.partial", ".archive.sqlite.0a1b2c.partial-journal")

    def setUp(self):
        super().setUp()
        self.archive, self.place = self.fixture(), self.folder / "temporary"
        self.place.mkdir()

    def look(self):
        for name, *words in (("hp-export", "list", self.archive, "types"), ("hp-verify", "archive", self.archive, "--only", "schema")):
            self.assert_good(run(name, *words, env={**ENVIRONMENT, "TMPDIR": str(self.place)}))

    def made(self, name, marker=TEXT, files=OURS):
        folder = self.place / name
        folder.mkdir(mode=0o700)
        if marker is not None:
            (folder / self.MARKER).write_text(marker)
        for file in files:
            (folder / file).write_bytes(b"health records")
        return folder

    def test_folders_of_the_user_stay_whatever_they_are_called(self):
        import random
        chance = random.Random(42)
        letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
        for number in range(40):
            files = chance.sample([*self.OURS, "letter.odt", "notes.txt", ".hidden", self.MARKER], chance.randrange(4))
            folder = self.made("hp-archive." + "".join(chance.choice(letters) for _ in range(6)), None, files)
            if chance.random() < 0.3:
                (folder / "below").mkdir()
                (folder / "below" / "archive.sqlite").write_bytes(b"mine")
        self.made("hp-archive.marker", "another text\n")
        self.made("hp-archive.longer", self.TEXT + "and more")
        self.made("hp-archive.prefix", self.TEXT[:10])
        self.made("hp-archive.toolong", self.TEXT)
        self.made("hp-archive.none", self.TEXT)
        linked = self.made("hp-archive.linked", None)
        (linked / self.MARKER).symlink_to(self.place / "hp-archive.toolong" / self.MARKER)
        doubled = self.made("hp-archive.double", None)
        os.link(self.place / "hp-archive.toolong" / self.MARKER, doubled / self.MARKER)
        before = {path: path.read_bytes() if path.is_file() else None for path in self.place.rglob("*")}
        self.look()
        self.assertEqual({path: path.read_bytes() if path.is_file() else None for path in self.place.rglob("*")}, before)

    def test_a_folder_of_a_tool_goes_and_in_it_only_files_of_a_tool(self):
        gone, kept = self.made("hp-archive.aaaaaa"), self.made("hp-archive.bbbbbb")
        (kept / "letter.odt").write_bytes(b"mine")
        (kept / "below").mkdir()
        (kept / "archive.sqlite-wal").unlink()
        (kept / "archive.sqlite-wal").symlink_to(kept / "letter.odt")
        target = self.made("target", None, ["archive.sqlite"])
        (self.place / "hp-archive.cccccc").symlink_to(target)
        self.look()
        self.assertFalse(gone.exists())
        self.assertEqual(sorted(os.listdir(kept)), sorted(["letter.odt", "below", "archive.sqlite-wal", self.MARKER]))
        self.assertEqual(os.listdir(target), ["archive.sqlite"])
        # An interrupted removal continues when what was in the way is gone.
        for name in ("letter.odt", "archive.sqlite-wal"):
            (kept / name).unlink()
        (kept / "below").rmdir()
        self.look()
        self.assertFalse(kept.exists())

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file away")
    def test_a_folder_of_another_user_stays(self):
        folder = self.made("hp-archive.aaaaaa")
        os.chown(folder, NOBODY, NOBODY)
        other = self.made("hp-archive.bbbbbb")
        os.chown(other / self.MARKER, NOBODY, NOBODY)
        before = sorted(self.place.rglob("*"))
        self.look()
        self.assertEqual(sorted(self.place.rglob("*")), before)


def can_hide_proc():
    return shutil.which("unshare") and subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/proc"], stderr=subprocess.DEVNULL).returncode == 0


@unittest.skipUnless(can_hide_proc(), "unshare(1) may not hide /proc")
class WithoutProc(Case):
    """A minimal container has no /proc. Swift's runtime reads the arguments there, and looks at its threads each second."""

    def without_proc(self, name, *words):
        script = "mount -t tmpfs none /proc && exec \"$@\""
        process = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", tool(name), *map(os.fspath, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=ENVIRONMENT, timeout=PATIENCE)
        return Run(process)

    def same(self, name, *words):
        here, there = run(name, *words), self.without_proc(name, *words)
        self.assertEqual((there.status, there.out, there.err), (here.status, here.out, here.err), words)
        return there

    def test_help_of_every_command(self):
        for name in NAMES:
            for word in self.same(name, "manual", "--list").out.decode().split():
                with self.subTest(name, command=word):
                    self.assertIn(b"exit status", self.same(name, word, "--help").out)
            self.same(name, "--version", "--json")
            self.same(name)

    def test_commands(self):
        archive = self.fixture()
        bundle = self.folder / "out.zst"
        self.assert_good(self.without_proc("hp-export", "bundle", archive, "-o", bundle, "--quiet"))
        self.same("hp-verify", "explain")
        self.same("hp-export", "list", archive, "types")
        self.same("hp-export", "list", archive, "observations", "--json")
        self.same("hp-export", "records", archive, "--no-record")
        self.same("hp-export", "diff", archive, "--summary")
        self.same("hp-verify", "bundle", bundle, "--archive", archive)
        self.same("hp-verify", "archive", archive)
        self.same("hp-verify", "reproduce", archive)
        self.same("hp-verify", "bundle", bundle, "--jobs", "4", vectors.path("good-minimal"), vectors.path("good-minimal"))

    def test_a_command_that_takes_seconds(self):
        """The runtime looks at its threads each second, so a command must last longer than that."""
        archive, bundle = self.generated(150_000, journal="delete"), self.folder / "out.zst"
        began = time.monotonic()
        self.assert_good(self.without_proc("hp-export", "bundle", archive, "-o", bundle, "--quiet"))
        for _ in range(20):
            self.assert_good(self.without_proc("hp-verify", "bundle", *[bundle] * 4, "--archive", archive, "--quiet"))
            if time.monotonic() - began > 4:
                break


if __name__ == "__main__":
    unittest.main()
