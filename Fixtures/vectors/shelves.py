"""Puts vectors on the shelves of Spec/vectors: LAYER/CONTAINER/NAME, and what is expected of all in vectors.json.

A generator says of a vector its bytes and the codes that a verifier must report, worked out from Spec/. The layer that
must fail follows from the codes. Places, the status of each layer and what is not verified are stated in vectors.json
itself and kept when it is written anew; a vector whose codes changed has none until somebody states them.
"""

import gzip
import json
import os
import pathlib

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "Spec" / "vectors"
LAYERS = ("container", "line", "canonical", "shape", "item", "order", "manifest", "archive")
CONTAINERS = {".jsonl.zst": "bundle", ".jsonl": "lines", ".json": "envelope", ".csv": "table", ".html": "page"}
PLACES = ("line", "frame", "byte", "pointer")


def read_stated(folder=VECTORS):
    """The entries of vectors.json by name."""
    path = folder / "vectors.json"
    entries = json.loads(path.read_text(encoding="utf-8"))["vectors"] if path.exists() else []
    return {name_of(entry): entry for entry in entries}


def name_of(entry):
    name = entry["path"].rpartition("/")[2]
    return name[:-len(suffix_of(entry["container"]))]


def suffix_of(container):
    return next(suffix for suffix, kind in CONTAINERS.items() if kind == container)


def text_of(entries, name="vectors"):
    """vectors.json or archives.json: a vector has some lines, so that a difference can be read."""
    return '{"%s": [\n' % name + ",\n".join(map(entry_text, entries)) + "\n]}\n"


def entry_text(entry):
    if "error" in entry:
        return " {" + ",\n  ".join('"%s": %s' % (name, json.dumps(value)) for name, value in entry.items()) + "}"
    findings = ",\n".join("   " + json.dumps(finding) for finding in entry["findings"])
    rest = {name: entry[name] for name in entry if name not in ("layers", "findings")}
    lines = ['"%s": %s' % (name, json.dumps(value)) for name, value in rest.items()]
    if "layers" in entry:
        lines.append('"layers": ' + json.dumps(entry["layers"]).replace(', "item"', ',\n   "item"'))
    lines += ['"findings": [' + ("\n" + findings if findings else "") + "]"]
    return " {" + ",\n  ".join(lines) + "}"


class Shelves:
    """Writes vectors, and refuses two of one name."""

    def __init__(self, path=VECTORS):
        self.path, self.stated, self.entries, self.files = pathlib.Path(path), read_stated(), {}, set()
        self.archives = {}

    def add(self, name, suffix, document, what, codes, data, sidecar=None):
        """One vector; `codes` in one text with blanks between, `document` as in vectors.json."""
        assert name not in self.entries and len(data) < 65536, name
        codes = sorted(codes.split())
        shelf = min((code.split(".")[0] for code in codes), key=LAYERS.index, default="valid")
        path = "%s/%s/%s%s" % (shelf, CONTAINERS[suffix], name, suffix)
        self.write(path, data)
        entry = {"path": path, "container": CONTAINERS[suffix], "document": document, "what": what,
                 "result": "findings" if codes else "ok", "layers": {}, "findings": [{"code": code} for code in codes]}
        if sidecar is not None:
            self.write(path + "-metadata.json", sidecar)
        self.entries[name] = self.with_places(entry, self.stated.get(name))

    def add_refused(self, name, suffix, document, what, version, data, sidecar=None):
        """A file that a build before the first release made, in that version of its format: nothing is looked at."""
        assert name not in self.entries, name
        path = "refused/%s/%s%s" % (CONTAINERS[suffix], name, suffix)
        self.write(path, data)
        if sidecar is not None:
            self.write(path + "-metadata.json", sidecar)
        self.entries[name] = {"path": path, "container": CONTAINERS[suffix], "document": document, "what": what, "result": "failed",
                              "error": "made by an unreleased build, format %d: capture the exports again" % version}

    def add_archive(self, name, what, findings, data, compared=None, **beside):
        """One archive, with what a checker finds, places included; what is `beside` it; what a bundle compared with it has."""
        assert name not in self.archives, name
        shelf = findings[0]["code"].split(".")[0] if findings else "valid"
        path = "archive/%s/%s.sqlite.gz" % (shelf, name)
        self.write_compressed(path, data)
        self.archives[name] = {"path": path, "what": what, "result": "findings" if findings else "ok", "findings": findings}
        self.archives[name] |= {member: text for member, text in beside.items() if text is not None}
        if compared is not None:
            self.archives[name]["compared"] = {"bundle": "valid/bundle/good-recorded.jsonl.zst", "findings": compared}

    @staticmethod
    def with_places(entry, stated):
        stated = None if stated and "error" in stated else stated
        codes = {finding["code"] for finding in entry["findings"]}
        if stated and {finding["code"] for finding in stated["findings"]} == codes:
            return {**entry, **{name: stated[name] for name in ("layers", "findings", "not_verified") if name in stated}}
        return entry

    def write(self, path, data):
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self.files.add(path)

    def write_compressed(self, path, data):
        """Leaves a file that holds the same: other versions of zlib write other bytes."""
        file = self.path / path
        if not file.exists() or gzip.decompress(file.read_bytes()) != data:
            self.write(path, gzip.compress(data, 9, mtime=0))
        self.files.add(path)

    def finish(self):
        """Writes vectors.json and removes what no generator made. Returns the names without stated places."""
        for folder in ("valid", "refused", *LAYERS):
            for file in sorted((self.path / folder).rglob("*")):
                if file.is_file() and file.relative_to(self.path).as_posix() not in self.files:
                    os.unlink(file)
        entries = sorted(self.entries.values(), key=lambda entry: entry["path"])
        (self.path / "vectors.json").write_text(text_of(entries), encoding="utf-8")
        archives = sorted(self.archives.values(), key=lambda entry: entry["path"])
        (self.path / "archives.json").write_text(text_of(archives, "archives"), encoding="utf-8")
        return [name for name, entry in self.entries.items() if entry.get("layers") == {}]
