"""Bad cells: every column with every kind of bad value, over every command.

None traps, hangs, takes gigabytes or repeats the value, and hp-verify names it.

HP_CELLS says how many commands look at each bad cell: 1 unless it is set, `all` for every command over every form of
the archive, which takes hours. Which command is next depends on the cell's place in the list alone, so that a run can
be repeated.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import tempfile

from cell_sweep import GONE, PLACES, REPEATED, TEXTS, THRESHOLDS, VALUES, limit_memory, loosen, spoil, Workshop
from support import SCHEMA, Case, database, execute, hp_export, hp_verify, takes_long

WORKERS = 2
SHARE = os.environ.get("HP_CELLS", "1")
# Form, and nothing else: what a column's declaration in the specification says of its values.
DECLARATION = re.compile(r"^    (\w+) (INTEGER|REAL|TEXT|BLOB)( NOT NULL| PRIMARY KEY)?", re.MULTILINE)


def declarations():
    """The columns of the specified schema: their type, and whether they may be NULL."""
    found = {}
    for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", SCHEMA.read_text(encoding="utf-8"), re.DOTALL):
        for column, kind, constraint in DECLARATION.findall(body):
            found[table, column] = (kind, bool(constraint))
    return found


def fault_of(table, column, kind, is_required, value_kind):
    """The code that a value must have by its form; None where the form is right."""
    if value_kind in ("NULL", "NaN"):
        return "values.null" if is_required else None
    value = VALUES[value_kind]
    is_number = isinstance(value, (int, float))
    if kind == "INTEGER":
        if not isinstance(value, int):
            return "values.storage_class"
        # A negative one may be a count, which has another code.
        is_free = column.endswith("id") and (table, column) != ("observations", "id")
        return "values.integer_range" if value >= 2**53 and not is_free else None
    if kind == "REAL":
        if not is_number:
            return "values.storage_class"
        return "values.not_finite" if abs(value) == float("inf") else None
    if kind == "BLOB":
        return None if isinstance(value, bytes) and value_kind != "not UTF-8" else "values.storage_class"
    if value_kind == "not UTF-8":
        return "values.utf8"
    if not isinstance(value, str):
        return "values.storage_class"
    return "values.nul" if "\0" in value else None


OTHERS = {"--json", "--quiet", "--dry-run", "--no-record"}
# Cells that trapped, each with the command that did: what the rotation of a short run may pass over.
TRAPPED = [
    ("archive", "daily_type_aggregates", "visible_record_count", ["9007199254740993", "-inf", "text '7xQzBad'"]),
    ("archive", "daily_type_aggregates", "value_sum", ["inf", "text ''"]),
    ("archive", "daily_type_aggregates", "value_max", ["-inf", "empty blob"]),
    ("archive", "observation_type_summaries", "visible_record_count", ["9007199254740992.0", "text ''", "NaN"]),
    ("archive", "observation_type_summaries", "appeared_count", ["9007199254740993", "-9223372036854775808"]),
    ("archive", "observation_type_summaries", "disappeared_count", ["-9223372036854775808"]),
    ("archive", "observation_type_summaries", "representation_changed_count", ["9007199254740993"]),
    ("archive", "observation_type_summaries", "value_sum", ["inf", "text ''"]),
    ("archive", "observation_type_summaries", "value_max", ["-inf", "empty blob"]),
    ("archive", "observations", "time_zone_seconds_from_gmt", ["-9223372036854775808"]),
    ("archive", "observations", "id", [GONE]),
    ("archive", "sample_versions", "category_value", ["9007199254740993", "-9223372036854775808"]),
    ("archive", "sample_versions", "workout_activity_type", ["9223372036854775807"]),
    ("archive", "samples", "sample_uuid_hash", ["not UTF-8"]),
    ("archive", "export_manifests", "to_observation_id", ["0", "text ''"]),
    ("reproduce", "export_manifests", "to_observation_id", ["-9223372036854775808"]),
    ("reproduce", "export_manifests", "filter_json", ["text %.12r %d" % (THRESHOLDS, len(THRESHOLDS))]),
    ("reproduce", "sample_types", "id", [REPEATED, "NULL"]),
    ("bundle", "sample_types", "id", [REPEATED, "NULL"]),
    ("bundle", "observations", "id", ["text '7xQzBad'", "empty blob"]),
    ("capture", "observations", "time_zone_seconds_from_gmt", ["9223372036854775807"]),
    ("capture", "daily_type_aggregates", "bucket_end", ["-1", "0", "1e+300", "inf"]),
    ("capture", "observation_type_summaries", "visible_record_count", ["9223372036854775807"]),
    ("capture", "observation_type_summaries", "value_sum", ["inf", "-inf"]),
    ("capture", "metadata_blobs", "metadata_json", ["text %.12r" % TEXTS[-1]]),
    ("repair", "observations", "time_zone_seconds_from_gmt", ["9223372036854775807"]),
]


class Cells(Case):
    shops = []

    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory(prefix="hp-cli-cells.")
        cls.addClassCleanup(keep.cleanup)
        cls.addClassCleanup(limit_memory())
        cls.shops = [Workshop(pathlib.Path(keep.name, str(worker))) for worker in range(WORKERS)]

    def sweep(self, work):
        """Runs `work(shop, worker)` in workshops of their own, side by side; all that they found."""
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
            found = workers.map(work, self.shops, range(WORKERS))
            return [line for lines in found for line in lines]

    @takes_long
    def test_what_trapped_once_does_so_no_more(self):
        def work(shop, worker):
            found = []
            for verb, table, column, kinds in TRAPPED[worker::WORKERS]:
                for base, kind, place in itertools.product(shop.bases, kinds, ["all", "last"]):
                    if (table, column) not in base.columns or not spoil(base, shop.archive, table, column, kind, place):
                        continue
                    for name, command, is_writing in shop.commands(base):
                        if command[0] == verb and not OTHERS.intersection(command):
                            faults = shop.faults(name, command, is_writing)
                            found += ["%s: %s.%s %s: %s" % (verb, table, column, kind, fault) for fault in faults]
            return found
        self.assertEqual(self.sweep(work), [])

    def test_a_type_run_that_stands_twice_is_named_and_nothing_is_exported(self):
        path = self.fixture(to="twice.sqlite")
        self.assert_good(hp_export("diff", path, "--findings", "--format", "csv", "-o", self.folder / "diff.csv"))
        loosen(path)
        execute(path, """INSERT INTO observation_type_runs SELECT * FROM observation_type_runs
            WHERE rowid = (SELECT max(rowid) FROM observation_type_runs)""")
        # The row is named, and nothing is exported where a row can be there twice.
        result = hp_verify("archive", path, "--json", "--quiet")
        self.assertEqual(result.status, 1, result)
        said = json.loads(result.out)
        twice = [finding for finding in said["findings"] if finding["code"] == "identities.duplicate_row"]
        self.assertEqual({finding["table"] for finding in twice}, {"observation_type_runs"})
        (exports,) = [check for check in said["checks"] if check["name"] == "exports"]
        self.assertEqual(exports["status"], "not_checked")
        self.assertIn("lacks the key", exports["reason"])
        self.assert_refused(hp_verify("reproduce", path, "--quiet"), "lacks the key", name="hp-verify")

    def test_hashes_that_fit_a_bad_cell_do_not_help_it(self):
        shop = self.shops[0]
        self.assertTrue(spoil(shop.bases[1], shop.archive, "sources", "bundle_identifier", "not UTF-8", "all"))
        findings = json.loads(hp_verify("archive", shop.archive, "--json", "--quiet").out)["findings"]
        wrong = [finding for finding in findings if finding["code"] == "identities.payload_hash"]
        hashes = [(finding["expected"], finding["row"]) for finding in wrong]
        # Five of heart rate, one of them changed, two of steps, and one that came later: all that name a source.
        self.assertEqual(len(hashes), 9)
        with database(shop.archive) as connection:
            connection.executemany("UPDATE sample_versions SET payload_hash = ? WHERE rowid = ?", hashes)
        result = hp_verify("archive", shop.archive, "--json", "--quiet")
        self.assertEqual(result.status, 1, result)
        codes = {finding["code"] for finding in json.loads(result.out)["findings"]}
        self.assertNotIn("identities.payload_hash", codes)
        self.assertIn("values.utf8", codes)

    @takes_long
    def test_no_bad_cell_hurts_a_command(self):
        def work(shop, worker):
            found = []
            for number, (base, cell) in enumerate(self.cells(shop)):
                if number % WORKERS != worker or not spoil(base, shop.archive, *cell):
                    continue
                commands = shop.commands(base)
                share = len(commands) if SHARE == "all" else int(SHARE)
                # A step that has no factor with the number of commands: each column meets all of them.
                first = number // WORKERS * 7
                for place in range(first, first + share):
                    name, command, is_writing = commands[place % len(commands)]
                    words = " ".join([name, *map(os.path.basename, map(str, command))])
                    faults = shop.faults(name, command, is_writing)
                    found += ["%s, %s, %s: %s" % (base.name, " ".join(cell), words, fault) for fault in faults]
            return found
        found = self.sweep(work)
        self.assertEqual(found, [], "%d faults" % len(found))

    @staticmethod
    def cells(shop):
        """Every bad cell, in turns over the forms of the archive; each over all of them where all is asked for."""
        if SHARE == "all":
            return ((base, cell) for base in shop.bases for cell in base.cells())
        forms = [dict.fromkeys(base.cells()) for base in shop.bases]
        cells = list(dict.fromkeys(cell for cells in forms for cell in cells))
        turns = ((number % len(forms), cell) for number, cell in enumerate(cells))
        return ((shop.bases[form], cell) for form, cell in turns if cell in forms[form])

    @takes_long
    def test_hp_verify_names_each_bad_value(self):
        declared = declarations()

        def work(shop, worker):
            base, found = shop.bases[1], []
            columns = [place for place in base.columns if place in declared]
            for number, ((table, column), kind) in enumerate(itertools.product(columns, VALUES)):
                expected = fault_of(table, column, *declared[table, column], kind)
                # Some values of each column, others of the next, unless all are asked for.
                if expected is None or number % WORKERS != worker or (SHARE != "all" and number // WORKERS % 9):
                    continue
                if not spoil(base, shop.archive, table, column, kind, PLACES[number % 3]):
                    continue
                result = hp_verify("archive", shop.archive, "--json", "--quiet", "--max-findings", "100000")
                place = (table, column)
                # Without its version an archive is refused.
                is_versioned = table in ("archive_metadata", "schema_migrations")
                if result.status == 2 and is_versioned and "version" in result.err:
                    continue
                findings = json.loads(result.out or b'{"findings":[]}')["findings"]
                here = [finding for finding in findings if (finding.get("table"), finding.get("column")) == place]
                codes = {finding["code"] for finding in here}
                if result.status != 1 or expected not in codes:
                    found.append("%s.%s %s: status %d, %s" % (table, column, kind, result.status, sorted(codes)))
            return found
        self.assertEqual(self.sweep(work), [])

    def test_values_beside_the_evidence_are_named_too(self):
        shop = self.shops[0]
        report = "WHERE rowid = (SELECT max(rowid) FROM export_manifests WHERE export_kind = 'observation_manifest')"
        for statement, code in [
            ("UPDATE context_log SET logged_at = 'soon' WHERE id = 1", "values.storage_class"),
            ("UPDATE context_log SET detail_json = '{' WHERE id = 1", "values.metadata"),
            ("UPDATE context_log SET event_kind = CAST(X'FF' AS TEXT) WHERE id = 1", "values.utf8"),
            ("UPDATE export_manifests SET record_count = record_count + 1 " + report, "manifests.record_count"),
        ]:
            with self.subTest(statement):
                shop.archive.write_bytes(shop.bases[0].bytes)
                self.assertEqual(hp_verify("archive", shop.archive, "--quiet").status, 0)
                execute(shop.archive, statement)
                result = hp_verify("archive", shop.archive, "--json", "--quiet")
                self.assertEqual(result.status, 1, result)
                # The history covers the context log, and not what exports record.
                codes = [code] + ["history.rows"] * ("context_log" in statement)
                self.assertEqual([finding["code"] for finding in json.loads(result.out)["findings"]], codes)
