"""What a power loss may leave of a folder, from the record of what was done to it.

A file's bytes are safe when the file was synchronized after they were written; a name when its folder was synchronized after it was given, changed or removed.
Of everything else:

    nothing   is there
    all       is there
    some      is there: of each file's writes any sectors, of a folder's changes the first few

A file whose name is safe and whose bytes are not is empty, or has holes. SQLite's shared memory is no file to keep.
"""

import os
import pathlib

MODELS = ("nothing", "all", "some")
SECTOR = 512


class File:
    """The bytes of a file: those that are safe, and what was done since."""

    def __init__(self, content=b""):
        self.safe, self.later = content, []

    def synchronize(self):
        self.safe, self.later = self.content(), []

    def content(self, survives=lambda: True):
        """The bytes, if of what is not safe that is there which survives."""
        found = bytearray(self.safe)
        for kind, offset, data in self.later:
            if kind == "T":
                if survives():
                    found = found[:offset] + bytes(max(0, offset - len(found)))
                continue
            for start in range(0, len(data), SECTOR):
                part = data[start:start + SECTOR]
                if survives():
                    place = offset + start
                    found += bytes(max(0, place + len(part) - len(found)))
                    found[place:place + len(part)] = part
        return bytes(found)


class Disk:
    """A folder while operations are done to it."""

    def __init__(self, folder):
        self.folder = os.fsencode(os.path.realpath(folder))
        self.files = {}  # the file that has an inode now
        self.safe_names = {}
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            self.files[os.lstat(path).st_ino] = self.safe_names[path] = File(pathlib.Path(os.fsdecode(path)).read_bytes())
        self.names = dict(self.safe_names)
        self.changes = []  # of names, since the folder was synchronized: {path: file or None}

    def change(self, names):
        self.changes.append(names)
        self.take(self.names, names)

    @staticmethod
    def take(all_names, names):
        for path, file in names.items():
            if file is None:
                all_names.pop(path, None)
            else:
                all_names[path] = file

    def apply(self, operation):
        kind, inode, offset, size, name, other, data = operation
        if kind == "C":
            self.files[inode] = File()
            self.change({name: self.files[inode]})
        elif kind in "WT" and inode in self.files:
            self.files[inode].later.append((kind, size if kind == "T" else offset, data))
        elif kind == "S" and inode in self.files:
            self.files[inode].synchronize()
        elif kind == "D" and name == self.folder:
            self.safe_names, self.changes = dict(self.names), []
        elif kind == "R" and name in self.names:
            self.change({name: None, other: self.names[name]})
        elif kind == "L" and name in self.names:
            self.change({other: self.names[name]})
        elif kind == "U":
            self.change({name: None})

    def left(self, model, chance):
        """The files that are there when the power is back: {name: bytes}."""
        names = dict(self.safe_names)
        survives = {"nothing": lambda: False, "all": lambda: True}.get(model)
        share = chance.choice([0.1, 0.5, 0.9])
        count = {"nothing": 0, "all": len(self.changes)}.get(model)
        for change in self.changes[:chance.randint(0, len(self.changes)) if count is None else count]:
            self.take(names, change)
        survives = survives or (lambda: chance.random() < share)
        contents = {}
        for file in names.values():
            if id(file) not in contents:
                contents[id(file)] = file.content(survives)
        return {os.path.basename(path): contents[id(file)] for path, file in names.items() if not path.endswith(b"-shm")}


def restore(folder, files):
    """Makes the files of a folder these; where two names lead to one file, so do they then. A file that is there already is written to."""
    paths = {}  # the first of each content
    for path, content in sorted(((pathlib.Path(folder, os.fsdecode(name)), content) for name, content in files.items()), key=lambda file: not file[0].exists()):
        if content and id(content) in paths:
            os.link(paths[id(content)], path)
            continue
        paths[id(content)] = path
        path.write_bytes(content)
        path.chmod(0o600)
