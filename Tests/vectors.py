"""The vectors of Spec/vectors, as vectors.json and archives.json list them."""

import gzip
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent / "Spec" / "vectors"
LAYERS = ("container", "line", "canonical", "shape", "item", "order", "manifest", "archive")


class Vector:
    """A file, and what is expected of it."""

    def __init__(self, entry):
        self.entry, self.path = entry, ROOT / entry["path"]
        self.name = self.path.name.partition(".")[0]
        self.container, self.document = entry["container"], entry["document"]
        self.result, self.layers, self.findings = entry["result"], entry.get("layers", {}), entry.get("findings", [])
        self.error = entry.get("error")  # what is said of a file that nothing reads any more, behind its name
        self.not_verified = entry.get("not_verified", [])
        self.codes = {finding["code"] for finding in self.findings}

    @property
    def sidecar(self):
        """The path of a table's sidecar."""
        return self.path.with_name(self.path.name + "-metadata.json")

    @property
    def failed_layer(self):
        """The first layer that fails, or None."""
        return next((layer for layer in LAYERS if self.layers.get(layer) == "failed"), None)


class Archive:
    """An archive of archives.json, and what is expected of it."""

    def __init__(self, entry):
        self.path = ROOT / entry["path"]
        self.name = self.path.name.partition(".")[0]
        self.head, self.log = entry.get("head"), entry.get("log")
        self.result, self.findings, self.compared = entry["result"], entry["findings"], entry.get("compared")
        # Of the archive itself, and of the layer archive of a bundle beside it.
        self.not_verified = entry.get("not_verified", [])
        self.codes = {finding["code"] for finding in self.findings}
        self.all_codes = self.codes | {finding["code"] for finding in (self.compared or {"findings": []})["findings"]}

    def unpacked(self, folder):
        """The archive in a folder, with its log, and the options that give its head."""
        path, head = folder / (self.name + ".sqlite"), folder / (self.name + ".head")
        path.write_bytes(gzip.decompress(self.path.read_bytes()))
        if self.log is not None:
            path.with_name(path.name + "-wal").write_text(self.log, encoding="utf-8")
        if self.head is not None:
            head.write_text(self.head, encoding="utf-8")
        return path, [] if self.head is None else ["--head", head]


def read():
    return [Vector(entry) for entry in json.loads((ROOT / "vectors.json").read_text(encoding="utf-8"))["vectors"]]


EVERYTHING = read()
ALL = [vector for vector in EVERYTHING if vector.error is None]
REFUSED = [vector for vector in EVERYTHING if vector.error is not None]
NAMED = {vector.name: vector for vector in EVERYTHING}
ARCHIVES = [Archive(entry) for entry in json.loads((ROOT / "archives.json").read_text(encoding="utf-8"))["archives"]]
HISTORIES = json.loads((ROOT / "histories.json").read_text(encoding="utf-8"))["vectors"]
SIGNATURES = json.loads((ROOT / "signatures.json").read_text(encoding="utf-8"))
ARCHIVES_NAMED = {archive.name: archive for archive in ARCHIVES}
# What Spec/bundle.md and Spec/salvage.md are about: everything but reports in whatever container.
BUNDLES = [vector for vector in ALL if vector.document != "report"]


def path(name):
    return NAMED[name].path


def places(findings):
    """What a verifier's findings are compared by: codes and places, in no order."""
    members = ("code", "line", "frame", "byte", "pointer")
    return sorted(json.dumps({name: finding[name] for name in members if name in finding}) for finding in findings)
