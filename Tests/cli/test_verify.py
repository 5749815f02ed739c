"""hp-verify as a process: vectors, archives, forgeries, canonical JSON, and what it leaves alone."""

import hashlib
import html
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import unittest

import zstandard

from support import (
    ENVIRONMENT, FIXTURES, PATIENCE, ROOT, Case, database, execute, has_open, held, hp_export, hp_verify, lines_of,
    query, run_as_nobody, schemas, start, tool, trace_of, vectors, verdict_of,
)

sys.path.insert(0, str(FIXTURES / "vectors"))
import generate  # noqa: E402

CANONICAL = FIXTURES / "canonical-json"


def schema(name):
    return schemas.validator(name)


def item_hash(item):
    return hashlib.sha256(b"hp:v2:export_item:" + item).hexdigest().encode()


def seal(lines):
    """A bundle of these lines, with all item hashes and the manifest hash computed anew."""
    export = lines[0][len(b'{"export":'):-1]
    items = [line[len(b'{"item":'):line.rindex(b',"item_hash":"')] for line in lines[1:-1]]
    totals = lines[-1][lines[-1].index(b'"totals":') + len(b'"totals":'):-1]
    hashes = [item_hash(item) for item in items]
    document = b'{"export":' + export + b',"items":[' + b",".join(b'"' + text + b'"' for text in hashes) + b'],"totals":' + totals + b"}"
    manifest = hashlib.sha256(b"hp:v2:export_manifest:" + document).hexdigest().encode()
    texts = [lines[0] + b"\n", b"".join(b'{"item":' + item + b',"item_hash":"' + text + b'"}\n' for item, text in zip(items, hashes)),
             b'{"manifest_hash":"' + manifest + b'","totals":' + totals + b"}\n"]
    frames = [zstandard.ZstdCompressor(write_checksum=True).compress(text) for text in texts if text]
    sizes = b"".join(struct.pack("<II", len(frame), len(text)) for frame, text in zip(frames, filter(None, texts)))
    body = sizes + struct.pack("<IBI", len(frames), 0, 0x8F92EAB1)
    return b"".join(frames) + struct.pack("<II", 0x184D2A5E, len(body)) + body


class Verified(Case):
    def verify(self, *arguments, **options):
        """The status and the one object of --json, which must fit its schema."""
        result = hp_verify("bundle", *arguments, "--json", **options)
        self.assertIn(result.status, (0, 1), result)
        self.assertEqual(result.err, "")
        value = json.loads(result.out)
        self.assertEqual([error.message for error in schema("verify-result").iter_errors(value)], [])
        (file,) = value["files"]
        self.assertEqual(result.status, 0 if file["result"] == "ok" else 1)
        self.assertEqual(file["result"] == "ok", not file["findings"])
        return file

    def codes(self, *arguments):
        return {finding["code"] for finding in self.verify(*arguments)["findings"]}


class Vectors(Verified):
    def test_every_vector_raises_exactly_its_codes_at_their_places(self):
        """Tests/verify_vectors.py holds the specification's verifier to the same list."""
        paths = [vector.path for vector in vectors.BUNDLES]
        self.assertGreater(len(paths), 50)
        result, text = (hp_verify("bundle", *paths, *options) for options in (("--json", "--max-findings", "1000000"), ()))
        self.assertEqual((result.status, text.status), (1, 1))
        value = json.loads(result.out)
        self.assertEqual([error.message for error in schema("verify-result").iter_errors(value)], [])
        reports = re.split(rb"^(?=\S.*\.jsonl\.zst: )", text.out, flags=re.MULTILINE)[1:]
        self.assertEqual((len(value["files"]), len(reports)), (len(paths), len(paths)))
        for vector, file, report in zip(vectors.BUNDLES, value["files"], reports):
            path = vector.path
            with self.subTest(vector.name):
                self.assertEqual(file["file"], str(path))
                self.assertEqual(vectors.places(file["findings"]), vectors.places(vector.findings))
                self.assertEqual((file["result"], file["result"] == "ok"), (vector.result, not file["findings"]))
                self.assertEqual(file["layers"], vector.layers)
                self.assertTrue(report.startswith(str(path).encode()))
                for code in vector.codes:
                    self.assertIn(code, report.decode())

    def test_many_files_have_one_report_each(self):
        good, bad = vectors.path("good-minimal"), vectors.path("item-hash")
        result = hp_verify("bundle", good, bad, good, "--json")
        self.assertEqual(result.status, 1)
        self.assertEqual([file["result"] for file in json.loads(result.out)["files"]], ["ok", "findings", "ok"])
        result = hp_verify("bundle", good, self.folder / "none", bad)
        self.assertEqual(result.status, 2)
        self.assert_one_line(result, "none: ", name="hp-verify")
        self.assertIn(b"item.hash", result.out)

    def test_a_line_may_be_exactly_as_long_as_the_limit(self):
        """In every container a line of so many bytes is read, and one of a byte more is the only finding of its kind."""
        of_records = [len(line) for line in vectors.path("good-records-lines").read_bytes().split(b"\n")]
        page = vectors.path("page-good").read_bytes().partition(b'<template id="healthprobe-evidence">\n')[2].partition(b"</template>")[0]
        of_page = [len(line) for line in html.unescape(page.decode()).encode().split(b"\n")]
        for name, sizes in (("page-good", of_page), *(("good-records-" + name, of_records) for name in ("lines", "envelope", "frames", "table"))):
            with self.subTest(name):
                longest = max(sizes)
                self.assertEqual(sizes.count(longest), 1)
                self.assertEqual(self.verify(vectors.path(name), "--max-line", str(longest))["findings"], [])
                file = self.verify(vectors.path(name), "--max-line", str(longest - 1))
                self.assertEqual([(finding["code"], finding["line"], finding["expected"]) for finding in file["findings"]],
                                 [("line.limit", sizes.index(longest) + 1, "at most %d bytes" % (longest - 1))])
        # Of a view the rows alone are in the file: its first and its last line are in the sidecar, and longer.
        for name in ("good-people", "good-people-excel", "good-people-changes"):
            rows = [len(row) for row in vectors.path(name).read_bytes().split(b"\r\n")[:-1]]
            for limit in (max(rows), max(rows) - 1):
                with self.subTest(name, limit=limit):
                    found = [finding["line"] for finding in self.verify(vectors.path(name), "--max-line", str(limit))["findings"] if finding["code"] == "line.limit"]
                    self.assertEqual(found, [1, *(number for number, size in enumerate(rows, 1) if size > limit), len(rows) + 1])

    def test_a_second_header_behind_over_a_thousand_damaged_lines_is_counted(self):
        """Beyond a thousand of one frame they are only counted; the specification's verifier has a list of all."""
        header, *items, manifest = generate.lines()
        path = self.folder / "bundle.jsonl.zst"
        for count in (1000, 1001, 1002):
            with self.subTest(count):
                text = b"\n".join([header, *[b"x"] * count, header, *items, manifest, b""])
                frame = generate.frame(text)
                path.write_bytes(frame + generate.table([(len(frame), len(text))]))
                found = json.loads(hp_verify("bundle", path, "--json", "--max-findings", "0").out)["files"][0]
                self.assertEqual(found["counts"], {"canonical.syntax": count, "line.header_repeated": 1})
                verdict = verdict_of(path)
                self.assertEqual(found["layers"], verdict["layers"])
                self.assertEqual(len(verdict["findings"]), count + 1)

    def test_events_stand_in_the_order_of_observations_and_kinds(self):
        path = self.folder / "bundle.jsonl.zst"
        for events, pointers in (([(1, "appeared"), (2, "appeared")], []),
                                 ([(2, "appeared"), (1, "appeared")], ["/item/events"]),
                                 ([(1, "appeared"), (1, "disappeared")], []),
                                 ([(1, "disappeared"), (1, "appeared")], ["/item/events"])):
            with self.subTest(events):
                export, items = generate.history()
                event, = items[2]["events"]
                items[2]["events"] = [{**event, "observation_id": number, "event_kind": kind}
                                      for number, kind in events]
                path.write_bytes(generate.of_lines(generate.lines(export, items)))
                found = json.loads(hp_verify("bundle", path, "--json").out)["files"][0]["findings"]
                places = [finding["pointer"] for finding in found if finding["code"] == "shape.value"]
                self.assertEqual(places, pointers)
                theirs = [(finding["code"], finding["line"]) for finding in verdict_of(path)["findings"]]
                self.assertEqual([(finding["code"], finding["line"]) for finding in found], theirs)

    def test_findings_beyond_the_limit_are_counted(self):
        lines = lines_of(vectors.path("good-minimal"))
        text = b"".join(line + b"\n" for line in [lines[0], *([b"{ }"] * 50), lines[-1]])
        path = self.folder / "many.jsonl.zst"
        path.write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(text))
        file = self.verify(path, "--max-findings", "5")
        self.assertLessEqual(len(file["findings"]), 5)
        self.assertGreaterEqual(sum(file["counts"].values()), 50)

    def test_findings_that_are_not_listed_are_told_and_explained(self):
        """Three codes, one of them twice; what is only counted comes in the order of the codes' texts."""
        lines = lines_of(vectors.path("good-minimal"))
        wrong = re.sub(rb'"item_hash":"[0-9a-f]{64}"', b'"item_hash":"%s"' % (b"0" * 64), lines[1])
        text = b"".join(line + b"\n" for line in [lines[0], b"{ }", wrong, lines[2], b"{}", b"{ }", lines[-1]])
        path = self.folder / "three.jsonl.zst"
        frame = zstandard.ZstdCompressor(write_checksum=True).compress(text)
        table = struct.pack("<IIIBI", len(frame), len(text), 1, 0, 0x8F92EAB1)
        path.write_bytes(frame + struct.pack("<II", 0x184D2A5E, len(table)) + table)
        codes = ["canonical.white_space", "item.hash", "line.after_manifest", "canonical.white_space"]
        found = [(finding["code"], finding["line"]) for finding in self.verify(path)["findings"]]
        self.assertEqual(found, list(zip(codes, (2, 3, 5, 6))))
        sentences = {entry["code"]: entry["sentence"] for entry in json.loads((ROOT / "Spec" / "codes.json").read_text(encoding="utf-8"))["codes"]}
        meanings = ["  What this means:", *("    %s: %s" % (code, sentences[code]) for code in codes[:3])]
        for limit in range(6):
            with self.subTest(limit):
                first, _, *said = hp_verify("bundle", path, "--max-findings", str(limit)).out.decode().splitlines()
                self.assertEqual(first, "%s: invalid: 4 findings" % path)
                listed, rest = said[:min(limit, 4)], said[min(limit, 4):]
                self.assertEqual([line.split(": ")[0].strip() for line in listed], codes[:limit])
                more = ["  %d more: 2 canonical.white_space, 1 item.hash, 1 line.after_manifest in all" % (4 - limit)] * (limit < 4)
                self.assertEqual(rest, more + meanings)

    def test_every_flipped_byte_is_found(self):
        data = vectors.path("good-minimal-raw").read_bytes()
        paths = []
        for at in range(0, len(data), 7):
            paths.append(self.folder / str(at))
            paths[-1].write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:])
        result = hp_verify("bundle", *paths, "--json")
        self.assertEqual(result.status, 1, result)
        self.assertEqual([file["file"] for file in json.loads(result.out)["files"] if file["result"] == "ok"], [])

    def test_exports_of_every_archive_are_good(self):
        for name in ("small", "defects", "two-chains", "utf16", "unsettled", "extra-columns", "page-size-512"):
            for options in ((), ("--history",), ("--at", "1")):
                with self.subTest(name, options=options):
                    archive, out = self.fixture(name + ".sqlite"), self.folder / "out.zst"
                    self.assert_good(hp_export("bundle", archive, "-o", out, "--force", *options))
                    self.assertEqual(self.verify(out)["findings"], [])
                    self.assertEqual(self.verify(out, "--archive", archive)["verdict"], MATCHES)


class Outputs(Verified):
    def test_json_outputs_fit_their_schemas(self):
        archive = self.fixture()
        result = self.assert_good(hp_export("bundle", archive, "-o", self.folder / "out.zst", "--json", "--type", "DietaryWater"))
        schema("bundle-result").validate(json.loads(result.out))
        for name in ("small", "defects", "two-chains", "utf16", "unsettled"):
            for what in ("observations", "types", "exports"):
                with self.subTest(name, what=what):
                    schema("list").validate(json.loads(self.assert_good(hp_export("list", self.fixture(name + ".sqlite"), what, "--json")).out))
        self.assertEqual(len(json.loads(hp_export("list", archive, "types", "--json").out)["types"]), query(archive, "SELECT count(*) FROM sample_types")[0][0])


class Explained(Case):
    TABLE = json.loads((ROOT / "Spec" / "codes.json").read_text(encoding="utf-8"))

    def explained(self, *codes):
        value = json.loads(self.assert_good(hp_verify("explain", *codes, "--json")).out)
        schema("explain-result").validate(value)
        return value["codes"]

    def test_every_code_is_explained_as_the_table_has_it(self):
        left_out = ("layer", "check", "about", "suppressed_by", "suppressed_where", "vector")
        wanted = [{name: value for name, value in entry.items() if name not in left_out} for entry in self.TABLE["codes"]]
        self.assertEqual(self.explained(), wanted)
        self.assertEqual(self.explained("values.null", "line.blank"), [entry for code in ("values.null", "line.blank") for entry in wanted if entry["code"] == code])

    def test_people_read_what_it_means_and_what_to_do(self):
        entry = next(entry for entry in self.TABLE["codes"] if entry["code"] == "container.truncated")
        text = self.assert_good(hp_verify("explain", entry["code"])).out.decode()
        for part in (entry["code"], entry["invalid"], entry["sentence"], entry["severity"], entry["damages_where"], *(place["meaning"] for place in entry["places"])):
            self.assertIn(part, text)

    def test_people_read_what_each_severity_and_damage_means(self):
        codes = [entry["code"] for entry in self.TABLE["codes"]]
        texts = self.assert_good(hp_verify("explain", *codes)).out.decode().split("\n\n")
        self.assertEqual(len(texts), len(self.TABLE["codes"]))
        for entry, text in zip(self.TABLE["codes"], texts):
            lines = text.rstrip("\n").split("\n")
            damages = self.TABLE["damages"][entry["damages"]]
            damages += ", where " + entry["damages_where"] if "damages_where" in entry else ""
            severity = "%s: %s" % (entry["severity"], self.TABLE["severities"][entry["severity"]])
            self.assertEqual(lines[0], "%s: %s" % (entry["code"], entry["invalid"]))
            self.assertEqual(lines[2], "  severity  " + severity)
            self.assertEqual(lines[-1], "  damages   " + damages)

    def test_a_code_that_no_finding_has_is_refused(self):
        for code in ("container", "container.", "line.kind2", "CONTAINER.EMPTY", ""):
            with self.subTest(code):
                self.assert_refused(hp_verify("explain", code), "no finding has this code", name="hp-verify")


class Inputs(Verified):
    def assert_refused(self, result, *words, **options):
        super().assert_refused(result, *words, name="hp-verify", **options)

    def test_what_is_no_file_is_refused(self):
        os.mkfifo(self.folder / "fifo")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(self.folder / "socket"))
        (self.folder / "loop").symlink_to("loop")
        for path in ("none", "fifo", "socket", "loop", "", "/dev/zero"):
            with self.subTest(path):
                result = hp_verify("bundle", self.folder / path)
                self.assertEqual(result.status, 2, result)
                self.assert_one_line(result, name="hp-verify")

    def test_an_archive_that_is_none_is_refused(self):
        bundle = vectors.path("good-minimal")
        (self.folder / "random").write_bytes(os.urandom(8192))
        os.mkfifo(self.folder / "fifo")
        bad = [FIXTURES / "archives" / (name + ".sqlite") for name in ("not-a-database", "empty", "truncated", "schema-version-1", "schema-version-3", "table-missing", "column-missing", "table-is-a-view", "trigger")]
        for path in (self.folder / "none", self.folder / "fifo", self.folder, self.folder / "random", "/dev/null", *bad):
            with self.subTest(path=str(path)):
                result = hp_verify("bundle", bundle, "--archive", path)
                self.assertEqual(result.status, 2, result)
                self.assert_one_line(result, name="hp-verify")
        self.assertEqual(self.names(), [b"fifo", b"random"])

    def test_wrong_options_are_refused(self):
        good = vectors.path("good-minimal")
        for arguments, word in (([], "command"), (["verify"], "unknown command"), (["bundle"], "bundle"), (["bundle", good, "--frob"], "--frob"), (["bundle", good, "--max-findings", "-1"], "--max-findings"),
                                (["bundle", good, "--archive"], "--archive"), (["bundle", good, "--json=1"], "--json"), (["canonicalize", good, good], ""), (["canonicalize", "--frob"], "--frob")):
            with self.subTest(arguments=list(map(str, arguments))):
                self.assert_refused(hp_verify(*arguments), word)

    def test_results_that_do_not_arrive_are_errors(self):
        good = vectors.path("good-minimal")
        with open("/dev/full", "wb") as full:
            for arguments in (["bundle", good], ["bundle", good, "--json"], ["check-canonical", CANONICAL / "accept" / "appendix-b.out"], ["--help"]):
                with self.subTest(arguments=list(map(str, arguments))):
                    self.assert_refused(hp_verify(*arguments, stdout=full), "standard output: ", "no space left")
        read, write = os.pipe()
        os.close(read)
        result = hp_verify("bundle", good, stdout=write)
        os.close(write)
        self.assertEqual((result.status, result.err), (0, ""))


MATCHES, MATCHES_RECORD = "valid: matches the archive", "valid: matches what the archive recorded"


class WithArchive(Verified):
    def exported(self, samples=None, *options):
        archive = self.fixture() if samples is None else self.generated(samples)
        bundle = self.folder / "out.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle, "--force", *options))
        return archive, bundle

    def test_findings_come_in_the_order_of_the_file(self):
        _, bundle = self.exported()
        data = bytearray(bundle.read_bytes())
        data[data.rindex(b"\x5e\x2a\x4d\x18") - 1] ^= 1
        data[-1] ^= 1
        damaged = self.folder / "damaged.zst"
        damaged.write_bytes(data)
        # The seek table is read while the frames before it are still being checked.
        for _ in range(20):
            self.assertEqual([finding["code"] for finding in self.verify(damaged)["findings"]], ["container.checksum", "container.seek_table"])

    def test_an_unchanged_archive_matches(self):
        for options in ((), ("--history",), ("--at", "1"), ("--type", "HKWorkoutTypeIdentifier"), ("--source", "com.example.none")):
            with self.subTest(options):
                archive, bundle = self.exported(None, *options)
                file = self.verify(bundle, "--archive", archive)
                self.assertEqual((file["result"], file["layers"]["archive"], file["verdict"]), ("ok", "ok", MATCHES))
        self.assertEqual(self.verify(bundle)["verdict"], "valid: self-consistent")

    def test_every_difference_of_the_record_is_named(self):
        for code, change in (
            ("archive.manifest_hash", "UPDATE export_manifests SET manifest_hash = '%s'" % ("0" * 64)),
            ("archive.manifest_hash", "UPDATE export_manifests SET manifest_hash = upper(manifest_hash)"),
            ("archive.record_count", "UPDATE export_manifests SET record_count = record_count + 1"),
            ("archive.scope", "UPDATE export_manifests SET export_kind = 'other'"),
            ("archive.scope", "UPDATE export_manifests SET to_observation_id = 1"),
            ("archive.scope", "UPDATE export_manifests SET from_observation_id = 1"),
            ("archive.scope", "UPDATE export_manifests SET filter_json = replace(filter_json, 'HKWorkout', 'HKWorkouts')"),
            ("archive.scope", "UPDATE export_manifests SET filter_json = ' ' || filter_json"),
            ("archive.scope", "UPDATE export_manifests SET filter_json = NULL"),
            ("archive.item_unknown", "DELETE FROM export_items WHERE rowid = (SELECT min(rowid) FROM export_items)"),
            ("archive.item_hash", "UPDATE export_items SET item_hash = '%s' WHERE rowid = (SELECT min(rowid) FROM export_items)" % ("0" * 64)),
            ("archive.item_absent", "INSERT INTO export_items SELECT 1, sample_id, id, '%s' FROM sample_versions WHERE sample_id NOT IN (SELECT sample_id FROM export_items) LIMIT 1" % ("0" * 64)),
        ):
            with self.subTest(change):
                archive, bundle = self.exported(None, "--type", "HKWorkoutTypeIdentifier", "--type", "HKQuantityTypeIdentifierHeartRate")
                execute(archive, change)
                self.assertEqual(self.codes(bundle, "--archive", archive), {code})
                self.assertEqual(self.codes(bundle), set())

    def test_the_order_of_rows_decides_nothing(self):
        """Recorded items are added up beside the rows of the evidence, in whatever order these stand."""
        archive, bundle = self.exported(300)
        before = archive.read_bytes()
        rows = query(archive, "SELECT * FROM sample_visibility_ranges")
        marks = ", ".join("?" * len(rows[0]))
        for name, order in (("backwards", rows[::-1]), ("the last one first", rows[-1:] + rows[:-1]),
                            ("by turns", rows[1::2] + rows[::2])):
            with self.subTest(name):
                archive.write_bytes(before)
                with database(archive) as connection:
                    connection.execute("DELETE FROM sample_visibility_ranges")
                    connection.executemany("INSERT INTO sample_visibility_ranges VALUES (%s)" % marks, order)
                file = self.verify(bundle, "--archive", archive)
                self.assertEqual((file["result"], file["verdict"]), ("ok", MATCHES))

    def test_a_row_that_is_gone_is_no_fault_of_the_record(self):
        """The items are recorded as before; the evidence no longer gives one of them."""
        for place in ("min(rowid)", "max(rowid)"):
            with self.subTest(place):
                archive, bundle = self.exported()
                execute(archive, "DELETE FROM sample_visibility_ranges WHERE rowid ="
                        " (SELECT %s FROM sample_visibility_ranges WHERE last_observation_id IS NULL)" % place)
                file = self.verify(bundle, "--archive", archive)
                codes = [finding["code"] for finding in file["findings"]]
                self.assertEqual((file["record"], codes.count("archive.evidence_unknown")), ("agrees", 1), file)
                # Another item may have it as the other end of a relationship.
                self.assertLessEqual(set(codes), {"archive.evidence_unknown", "archive.evidence_changed"})

    def test_of_one_identity_a_record_may_have_more_items(self):
        archive, bundle = self.exported(None, "--type", "HKQuantityTypeIdentifierHeartRate")
        item = "SELECT min(sample_id) FROM export_items JOIN samples ON id = sample_id WHERE sample_uuid_hash NOT NULL"
        # The twin of a sample, with its identity and the payload hash of its version.
        for table, key, others in (
                ("samples", "id", {"strict_fingerprint": "'%s'" % ("e" * 64)}),
                ("sample_versions", "sample_id", {"id": 99999})):
            names = [row[1] for row in query(archive, "PRAGMA table_info(%s)" % table)]
            values = ", ".join(str({**others, key: 99999}.get(name, name)) for name in names)
            twin = "INSERT INTO %s SELECT %s FROM %s WHERE %s = (%s) LIMIT 1" % (table, values, table, key, item)
            execute(archive, twin)
        execute(archive, "INSERT INTO export_items VALUES (1, 99999, 99999, '%s')" % ("0" * 64))
        finding, = self.verify(bundle, "--archive", archive)["findings"]
        self.assertEqual(finding["code"], "archive.item_absent")
        self.assertIn("sample 99999, version 99999", finding["expected"])

    def test_all_items_lost_is_a_finding_for_each(self):
        archive, bundle = self.exported()
        count = len(lines_of(bundle)) - 2
        execute(archive, "DELETE FROM export_items")
        findings = self.verify(bundle, "--archive", archive)["findings"]
        self.assertEqual([finding["code"] for finding in findings], ["archive.item_unknown"] * count)
        self.assertEqual(sorted(finding["line"] for finding in findings), list(range(2, count + 2)))

    def test_a_consistent_forgery_is_found_by_the_archive_alone(self):
        archive, bundle = self.exported(2000)
        lines = lines_of(bundle)
        self.assertEqual(verdict_of(bundle)["result"], "ok")
        index = next(number for number, line in enumerate(lines) if b'"numeric_value":' in line)
        head, tail = lines[index].split(b'"numeric_value":', 1)
        value, rest = tail.split(b",", 1)
        lines[index] = head + b'"numeric_value":' + (b"1" if value != b"1" else b"2") + b"," + rest
        forged = self.folder / "forged.zst"
        forged.write_bytes(seal(lines))
        file = self.verify(forged)
        self.assertEqual((file["result"], file["verdict"]), ("ok", "valid: self-consistent"))
        self.assertEqual(verdict_of(forged)["result"], "ok")
        findings = self.verify(forged, "--archive", archive)["findings"]
        self.assertEqual({finding["code"] for finding in findings}, {"archive.manifest_hash", "archive.item_hash", "archive.evidence_changed"})
        self.assertEqual([finding["line"] for finding in findings if finding["code"] == "archive.item_hash"], [index + 1])

    def test_a_fault_of_an_object_that_comes_again_is_found_each_time(self):
        _, bundle = self.exported(2000)
        lines = lines_of(bundle)
        marked = [number for number, line in enumerate(lines[1:-1], 1) if b'"source":{"' in line and b'"metadata":{' in line]
        self.assertGreater(len(marked), 20)
        for number in marked[1::2]:
            lines[number] = lines[number].replace(b'"source":{"', b'"source":{"a":1,"', 1)
        changed = self.folder / "changed.zst"
        changed.write_bytes(seal(lines))
        findings = self.verify(changed)["findings"]
        self.assertEqual({(finding["code"], finding["pointer"]) for finding in findings if finding["line"] - 1 in marked}, {("shape.member_unknown", "/item/source/a")})
        self.assertEqual([finding["line"] - 1 for finding in findings], marked[1::2])
        self.assertEqual(verdict_of(changed)["result"], "findings")

    def test_another_archive_does_not_know_the_export(self):
        _, bundle = self.exported(2000)
        self.assertEqual(self.codes(bundle, "--archive", self.fixture("two-chains.sqlite", to="other.sqlite")), {"archive.export_unknown"})

    def test_a_signal_ends_both_the_bundle_and_the_archive(self):
        archive = self.generated(20_000)
        bundle = self.folder / "out.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle))
        before = trace_of(self.folder)
        process = start("hp-verify", "bundle", bundle, "--archive", archive)
        # Stopped as soon as the bundle is open: nearly all of the work is still to be done.
        while not has_open(process, bundle):
            self.assertIsNone(process.poll(), "it ended before it opened the bundle")
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGCONT):
            process.send_signal(number)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(trace_of(self.folder), before)

    def test_no_finding_holds_a_value(self):
        archive, bundle = self.exported(2000)
        lines = lines_of(bundle)
        index = next(number for number, line in enumerate(lines) if b'"numeric_value":' in line)
        lines[index] = lines[index].replace(b'"numeric_value":', b'"numeric_value":7353.25,"numeric_value_":')
        (self.folder / "out2.zst").write_bytes(seal(lines))
        result = hp_verify("bundle", self.folder / "out2.zst", "--archive", archive)
        self.assertEqual(result.status, 1)
        self.assertNotIn(b"7353.25", result.out)


class Untouched(Verified):
    def assert_untouched(self, folder, bundle, archive, runner=hp_verify):
        before = trace_of(folder)
        result = runner("bundle", bundle, "--archive", archive, "--json")
        self.assertEqual(result.status, 0, result)
        self.assertEqual(trace_of(folder), before)
        return json.loads(result.out)["files"][0]

    def with_log(self):
        """A folder with a recorded export whose record is in the log alone, and the bundle."""
        live, bundle, folder = self.generated(500, to="live.sqlite"), self.folder / "out.zst", self.folder / "folder"
        folder.mkdir()
        with held(live, "PRAGMA wal_autocheckpoint = 0", "SELECT count(*) FROM samples"):
            self.assert_good(hp_export("bundle", live, "-o", bundle))
            for suffix in ("", "-wal"):
                shutil.copyfile(str(live) + suffix, str(folder / "archive.sqlite") + suffix)
        self.assertGreater((folder / "archive.sqlite-wal").stat().st_size, 0)
        return folder, bundle, folder / "archive.sqlite"

    def test_a_clean_archive_is_left_alone(self):
        for journal in ("wal", "delete"):
            with self.subTest(journal):
                (self.folder / journal).mkdir()
                archive, bundle = self.generated(500, to=journal + "/archive.sqlite", journal=journal), self.folder / (journal + ".zst")
                self.assert_good(hp_export("bundle", archive, "-o", bundle))
                file = self.assert_untouched(archive.parent, bundle, archive)
                self.assertNotIn("archive_note", file)

    def test_an_archive_with_a_log_is_read_whole_and_left_alone(self):
        folder, bundle, archive = self.with_log()
        temporary = self.folder / "temporary"
        temporary.mkdir()
        file = self.assert_untouched(folder, bundle, archive, lambda *arguments: hp_verify(*arguments, env={**ENVIRONMENT, "TMPDIR": str(temporary)}))
        self.assertEqual(file["verdict"], "valid: matches the archive")
        self.assertIn("archive_note", file)
        self.assertEqual(self.names(temporary), [])

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_a_folder_that_nobody_may_write_is_enough(self):
        folder, bundle, archive = self.with_log()
        bundle.chmod(0o644)
        as_nobody = lambda *arguments: run_as_nobody("hp-verify", self.folder, *arguments)  # noqa: E731
        self.assert_untouched(folder, bundle, archive, as_nobody)
        execute(archive, "PRAGMA wal_checkpoint(TRUNCATE)")
        self.assert_untouched(folder, bundle, archive, as_nobody)

    def test_an_archive_in_use_is_left_alone(self):
        archive, bundle = self.generated(500), self.folder / "out.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle))
        with held(archive, "BEGIN IMMEDIATE"):
            self.assert_untouched(self.folder, bundle, archive)


class CanonicalJSON(Verified):
    def framed(self, command, texts):
        result = hp_verify(command, "--framed", input=b"".join(struct.pack(">I", len(text)) + text for text in texts))
        self.assert_good(result)
        answers, rest = [], result.out
        while rest:
            status, size = struct.unpack(">BI", rest[:5])
            answers.append((status, rest[5:5 + size]))
            rest = rest[5 + size:]
        self.assertEqual(len(answers), len(texts))
        return answers

    def cases(self, folder, suffix):
        paths = sorted((CANONICAL / folder).glob("*" + suffix))
        self.assertGreater(len(paths), 20)
        return paths

    def assert_error(self, text, expectation):
        code, offset = expectation.split()
        self.assertTrue(text.decode().startswith("%s at byte %s: " % (code, offset)), "%r instead of %s at %s" % (text, code, offset))

    def test_accepted_texts_have_their_canonical_form(self):
        paths = self.cases("accept", ".in")
        forms = [path.with_suffix(".out").read_bytes() for path in paths]
        for path, answer, form in zip(paths, self.framed("canonicalize", [path.read_bytes() for path in paths]), forms):
            with self.subTest(path.name):
                self.assertEqual(answer, (0, form))
                self.assertEqual(form.hex(), "".join(path.with_suffix(".hex").read_text().split()))
        self.assertEqual(self.framed("check-canonical", forms), [(0, b"")] * len(forms))
        self.assertEqual(self.framed("canonicalize", forms), [(0, form) for form in forms])

    def test_rejected_texts_name_the_fault_and_its_place(self):
        paths = self.cases("reject", ".json")
        texts = [path.read_bytes() for path in paths]
        for path, (status, text), (check_status, check_text) in zip(paths, self.framed("canonicalize", texts), self.framed("check-canonical", texts)):
            with self.subTest(path.name):
                expectation = path.with_suffix(".expect").read_text()
                self.assertEqual((status, check_status), (1, 1))
                self.assert_error(text, expectation)
                # Checking names the first of all faults, which may be a deviation before the one that no reader accepts.
                if check_text != text:
                    self.assertLessEqual(int(re.search(rb" at byte (\d+): ", check_text).group(1)), int(expectation.split()[1]))

    def test_deviations_are_named_with_their_place(self):
        paths = self.cases("noncanonical", ".json")
        for path, (status, text) in zip(paths, self.framed("check-canonical", [path.read_bytes() for path in paths])):
            with self.subTest(path.name):
                self.assertEqual(status, 1)
                self.assert_error(text, path.with_suffix(".expect").read_text())

    def test_answers_come_one_by_one(self):
        process = subprocess.Popen([tool("hp-verify"), "canonicalize", "--framed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with process:
            for text, answer in ((b"[ 1.0 ]", b"\0\0\0\0\3[1]"), (b'{"b":1,"a":2}', b'\0\0\0\0\x0d{"a":2,"b":1}'), (b"[]", b"\0\0\0\0\2[]")):
                process.stdin.write(struct.pack(">I", len(text)) + text)
                process.stdin.flush()
                self.assertEqual(process.stdout.read(len(answer)), answer)
            process.stdin.close()
        self.assertEqual(process.returncode, 0)

    def test_a_request_that_ends_early_is_an_error(self):
        for data in (b"\0", b"\0\0\0", b"\0\0\0\5[1]", b"\0\0\0\2[]\0"):
            for command in ("canonicalize", "check-canonical"):
                with self.subTest(data, command=command):
                    result = hp_verify(command, "--framed", input=data)
                    self.assertEqual(result.status, 2, result)
                    self.assert_one_line(result, name="hp-verify")

    def test_a_request_beyond_the_limit_is_not_read(self):
        """Requests have at most 1 GiB. The answer to the one before is there, and its length is checked alone."""
        data = struct.pack(">I", 2) + b"[]" + struct.pack(">I", (1 << 30) + 1)
        for command, answer in (("canonicalize", b"\0\0\0\0\2[]"), ("check-canonical", b"\0\0\0\0\0")):
            with self.subTest(command):
                result = hp_verify(command, "--framed", input=data)
                self.assertEqual((result.status, result.out), (2, answer), result)
                self.assert_one_line(result, "standard input: request 2 ", "longer than 1073741824 bytes",
                                     name="hp-verify")

    def test_one_text_from_a_file_or_standard_input(self):
        path = self.folder / "text.json"
        path.write_bytes(b'{ "b": 1.50, "a": "\\u00e4" }')
        form = '{"a":"ä","b":1.5}'.encode()
        for result in (hp_verify("canonicalize", path), hp_verify("canonicalize", input=path.read_bytes()), hp_verify("canonicalize", "-", input=path.read_bytes())):
            self.assertEqual((result.status, result.out, result.err), (0, form, ""))
        result = hp_verify("check-canonical", path)
        self.assertEqual(result.status, 1, result)
        self.assertIn(b"white_space at byte 1", result.out)
        path.write_bytes(form)
        self.assertEqual(hp_verify("check-canonical", path).status, 0)
        self.assertEqual(hp_verify("check-canonical", input=form + b"\n").status, 1)
        for data in (b'{"a":1,"a":2}', b"", b"[" * 1_000_000, b"\xff"):
            with self.subTest(data[:20]):
                path.write_bytes(data)
                self.assert_refused(hp_verify("canonicalize", path), " at byte ", name="hp-verify")
                self.assertEqual(hp_verify("check-canonical", path).status, 1)
        self.assert_refused(hp_verify("canonicalize", self.folder / "none"), "none: ", name="hp-verify")
        self.assert_refused(hp_verify("check-canonical", self.folder), "", name="hp-verify")


if __name__ == "__main__":
    unittest.main()
