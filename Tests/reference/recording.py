"""Records one observation into an archive: Spec/capture.md and Spec/identity.md, the slow and obvious way.

What an archive has is held in memory as a whole. Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import json
import time
from collections import Counter, defaultdict

import archive_text
import identity
from aggregates import Aggregates
from days import rules_of_capture
from export_bundle import Refused

RUNNING = ("running", "started")
UNFINISHED = (*RUNNING, "failed", "cancelled")
EVIDENCE = ("samples", "sample_versions", "sample_observation_events", "sample_visibility_ranges", "sample_relationships", "relationship_ends")


def insert(connection, table, **columns):
    names = ", ".join(columns)
    marks = ", ".join("?" * len(columns))
    return connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(columns.values())).lastrowid


def row_with(connection, table, **columns):
    """The id of the row with these values (NULL equals NULL), inserted where there is none."""
    condition = " AND ".join(f"{name} IS ?" for name in columns)
    row = connection.execute(f"SELECT id FROM {table} WHERE {condition} ORDER BY id", list(columns.values())).fetchone()
    return row["id"] if row else insert(connection, table, **columns)


def scalar(connection, query, *values):
    row = connection.execute(query, values).fetchone()
    return row[0] if row else None


class Recording:
    """One observation, in a transaction of the caller. `start` says how it stands to what the archive has: new, resumed, compared. One that is new may go beyond
    others of its chain with the same date, `same_date`: then it is kept only where more was sent than they have. Of one that is resumed, nothing is kept
    as long as it `is_behind`: until all that it has was sent again."""

    def __init__(self, connection, secret, facts, is_secret_known):
        self.connection, self.secret, self.facts = connection, secret, facts
        self.observed_at = facts.observed_at
        self.find_chain(is_secret_known)
        self.find_observation()
        self.counts, self.rejected, self.conflicts = Counter(), [], 0
        self.runs = {}  # type: [mode, whether open, whether incomplete for more than rejections]
        self.seen_links, self.deletions_sent = set(), set()
        self.conflicts_of, self.unread_of, self.settled = Counter(), Counter(), set()  # the first two by type id
        self.rejected_types, self.links, self.withheld = set(), [], []  # [(type id, sample)]
        self.waiting, self.taken = [], {}  # records without a UUID that are not decided yet; {record: sample}
        self.is_contradicted = False  # by a record of what was captured of its date before
        self.load()
        self.before = self.evidence() if self.start != "new" or self.goes_beyond else None
        self.last_event = scalar(connection, "SELECT coalesce(max(id), 0) FROM sample_observation_events")
        self.is_behind = self.start == "resumed"
        self.catch_up()

    # The observation

    def find_chain(self, is_secret_known):
        hashed = self.secret.hmac(identity.chain_preimage(self.secret.chain, self.facts.kind))
        self.chain = scalar(self.connection, "SELECT id FROM device_chains WHERE device_chain_hash = ?", hashed)
        if self.chain is None:
            is_first = scalar(self.connection, "SELECT count(*) FROM device_chains") == 0
            self.chain = insert(self.connection, "device_chains", device_chain_hash=hashed, created_at=time.time(),
                                recovered_from_keychain=int(is_first and is_secret_known))

    def find_observation(self):
        if self.observed_at > time.time() + 86400:
            raise Refused("dated in the future")
        chain = self.connection.execute("SELECT * FROM observations WHERE device_chain_id = ? ORDER BY id", (self.chain,)).fetchall()
        same = [row for row in chain if row["observed_at"] == self.observed_at]
        before = [row for row in chain if row["observed_at"] != self.observed_at]
        self.start, self.goes_beyond, self.same_date = "new", None, [row["id"] for row in same]
        if same and (same[-1] is not chain[-1] or not self.is_unfinished(same[-1])):
            self.start, self.id = "compared", self.same_date.pop()
            self.restore()
            return
        if same and same[-1]["status"] in RUNNING and same[-1]["id"] == scalar(self.connection, "SELECT max(id) FROM observations"):
            self.start, self.id = "resumed", self.same_date.pop()
            self.end_running(self.id)
            self.note_stored()
            self.resume(same[-1])
            return
        self.goes_beyond = same[-1]["id"] if same else None
        self.note_stored()
        is_backwards = bool(before) and before[-1]["observed_at"] > self.observed_at
        if is_backwards and self.facts.kind != "health_store" and not same:
            raise Refused("older than an observation of its chain")
        self.end_running(None)
        self.begin(before[-1]["observed_at"] if is_backwards else None)

    @staticmethod
    def is_unfinished(row):
        return row["status"] in UNFINISHED or row["status"].startswith("partial")

    def end_running(self, before):
        """At most one observation runs, the newest: all others are ended, on all chains, in the order of their ids."""
        for row in self.connection.execute("SELECT id, status FROM observations ORDER BY id").fetchall():
            if row["status"] in RUNNING and (before is None or row["id"] < before):
                self.end(row["id"], "partial_interrupted")

    def resume(self, row):
        """The observation that runs goes on; what it noted is noted again."""
        self.connection.execute("DELETE FROM relationship_ends WHERE observation_id = ?", (self.id,))
        self.connection.execute("DELETE FROM type_run_facts WHERE type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id = ?)", (self.id,))
        self.connection.execute("DELETE FROM observation_type_runs WHERE observation_id = ?", (self.id,))
        for table in ("rejected_records", "withheld_closures"):
            self.connection.execute(f"DELETE FROM {table} WHERE first_observation_id = ?", (self.id,))
            self.connection.execute(f"UPDATE {table} SET last_observation_id = NULL WHERE last_observation_id = ?", (self.id,))
        if not scalar(self.connection, "SELECT 1 FROM observation_facts WHERE observation_id = ?", self.id):
            insert(self.connection, "observation_facts", observation_id=self.id, zone_rules_hash=self.keep_zone())
        self.keep_types(row["selected_type_set_hash"])
        self.connection.execute("UPDATE observations SET status = 'running', ended_at = NULL WHERE id = ?", (self.id,))

    def begin(self, later):
        """A new observation; `later` is the date of the one before it, where that is later."""
        facts, types = self.facts, self.facts.selected_types
        hashed = None if types is None else identity.sha256(identity.type_set_preimage(types))
        self.id = insert(
            self.connection, "observations", device_chain_id=self.chain, observed_at=self.observed_at, started_at=time.time(), status="running",
            trigger_reason=facts.trigger_reason, app_version=facts.app_version, os_version=facts.os_version,
            time_zone_identifier=facts.time_zone_identifier, time_zone_seconds_from_gmt=facts.time_zone_seconds_from_gmt, schema_version=2,
            selected_type_set_hash=hashed)
        self.keep_types(hashed)
        insert(self.connection, "observation_facts", observation_id=self.id, clock_code=None if later is None else "clock_backwards",
               clock_skew_seconds=None if later is None else self.observed_at - later, zone_rules_hash=self.keep_zone())

    def keep_zone(self):
        """Keeps the rules that say what the local days are; their hash."""
        text = rules_of_capture(self.facts.time_zone_identifier, self.facts.time_zone_seconds_from_gmt, self.observed_at)
        hashed = identity.sha256("hp:v2:zone_rules:" + text)
        self.connection.execute("INSERT OR IGNORE INTO zone_rules VALUES (?, ?)", (hashed, text))
        return hashed

    def keep_types(self, hashed):
        """The types behind the hash of the observation, once."""
        types = self.facts.selected_types
        if types is not None and hashed == identity.sha256(identity.type_set_preimage(types)):
            self.connection.execute("INSERT OR IGNORE INTO selected_type_sets VALUES (?, ?)", (hashed, identity.type_set_preimage(types).removeprefix("hp:v2:type_set:")))

    def restore(self):
        """What was visible and known at an older observation; all of it is rolled back."""
        later = "(SELECT id FROM observations WHERE device_chain_id = ? AND id > ?)"
        for table in ("sample_visibility_ranges", "rejected_records", "withheld_closures"):
            self.connection.execute(f"DELETE FROM {table} WHERE first_observation_id IN {later}", (self.chain, self.id))
            self.connection.execute(f"UPDATE {table} SET last_observation_id = NULL WHERE last_observation_id IN {later}", (self.chain, self.id))
        for table in ("sample_relationships", "relationship_ends"):
            self.connection.execute(f"DELETE FROM {table} WHERE observation_id IN {later}", (self.chain, self.id))

    def end(self, observation_id, status):
        """The last transaction of an observation."""
        connection = self.connection
        connection.execute("UPDATE observation_type_runs SET status = 'failed', error_kind = 'not_ended' WHERE observation_id = ? AND status = 'started'",
                           (observation_id,))
        for table in ("observation_type_summaries", "daily_type_aggregates"):
            connection.execute(f"DELETE FROM {table} WHERE observation_id = ?", (observation_id,))
        aggregates = Aggregates(connection, observation_id)
        aggregates.write()
        for run in connection.execute("SELECT id, sample_type_id, verified_visible_count FROM observation_type_runs WHERE observation_id = ?",
                                      (observation_id,)).fetchall():
            kinds = {row["event_kind"]: row["count"] for row in connection.execute("""
                SELECT event_kind, count(*) AS count FROM sample_observation_events JOIN samples ON samples.id = sample_id
                WHERE observation_id = ? AND sample_type_id = ? GROUP BY event_kind""", (observation_id, run["sample_type_id"]))}
            connection.execute("UPDATE observation_type_runs SET inserted_event_count = ?, deleted_event_count = ? WHERE id = ?",
                               (kinds.get("appeared", 0) + kinds.get("representation_changed", 0), kinds.get("disappeared", 0), run["id"]))
            if self.state(observation_id, run["id"], len(aggregates.visible(run["sample_type_id"]))) and status == "completed":
                status = "needs_review"
        if status == "completed" and scalar(connection, "SELECT clock_code FROM observation_facts WHERE observation_id = ?", observation_id):
            status = "needs_review"
        connection.execute("UPDATE observations SET status = ?, ended_at = ? WHERE id = ?", (status, time.time(), observation_id))
        return status

    def state(self, observation_id, run_id, visible):
        """Writes what a run states of its type; returns whether somebody should look at it."""
        connection = self.connection
        chain, date = connection.execute("SELECT device_chain_id, observed_at FROM observations WHERE id = ?", (observation_id,)).fetchone()
        run = connection.execute("SELECT * FROM observation_type_runs JOIN type_run_facts ON type_run_id = id WHERE id = ?", (run_id,)).fetchone()
        if run is None:
            return False  # of another engine: it states nothing of the type
        earlier = connection.execute("""
            SELECT runs.*, facts.*, observed_at FROM observation_type_runs AS runs JOIN observations ON observations.id = observation_id
            LEFT JOIN type_run_facts AS facts ON type_run_id = runs.id
            WHERE device_chain_id = ? AND sample_type_id = ? AND observation_id < ? ORDER BY observation_id DESC""",
                                     (chain, run["sample_type_id"], observation_id)).fetchall()
        known = [row["last_verified_observation_id"] for row in earlier if row["type_run_id"] is not None]
        # The run that it continues is of another date: of the same one, it was sent before.
        before = next((row for row in earlier if row["status"] == "completed" and row["observed_at"] != date), None)
        codes, state, to_review = [], "unknown", False
        if run["status"] == "completed":
            continues = run["anchor_before"] is not None and run["anchor_before"] == before["anchor_after"] if before else run["anchor_before"] is None
            is_without = before is not None and before["anchor_after"] is None and run["anchor_before"] is None
            if run["mode"] == "anchored" and not continues and not is_without:
                codes.append("anchor_broken")
            if run["conflict_count"]:
                codes.append("conflicts")
            if run["stated_count"] not in (None, visible):
                codes.append("count_differs")
            to_review = bool(codes)
            if run["unread_count"]:
                codes.append("files_missing")
            if run["mode"] == "anchored" and is_without:
                codes.append("no_anchor")
            if scalar(connection, """SELECT count(*) FROM rejected_records WHERE device_chain_id = ? AND coalesce(sample_type_id, ?) = ?
                    AND ? IN (first_observation_id, last_observation_id)""", chain, run["sample_type_id"], run["sample_type_id"], observation_id):
                codes.append("rejected_records")
            if not codes and not run["withheld_count"]:
                if run["mode"] == "full_scan" or run["stated_count"] is not None:
                    state = "verified"
                elif before and before["state"] in ("verified", "continued"):
                    state = "continued"
        is_verified = state == "verified"
        if scalar(connection, "SELECT clock_code FROM observation_facts WHERE observation_id = ?", observation_id) == "clock_backwards":
            codes.append("clock_backwards")
            to_review = True
        connection.execute("UPDATE type_run_facts SET state = ?, discontinuity = ?, last_verified_observation_id = ? WHERE type_run_id = ?",
                           (state, " ".join(codes) or None, observation_id if is_verified else next(iter(known), None), run_id))
        connection.execute("UPDATE observation_type_runs SET verified_visible_count = ? WHERE id = ?", (visible if is_verified else None, run_id))
        return bool(to_review or run["withheld_count"])

    def finish(self, source):
        """Ends the observation; `source` is completed, cancelled, failed, malformed or truncated. Returns its status."""
        if self.is_behind:
            if source == "completed" or self.evidence() != self.before:
                raise Refused(f"differs from observation {self.id}, which is running")
            self.start = "compared"
            return scalar(self.connection, "SELECT status FROM observations WHERE id = ?", self.id)
        self.settle()
        for link in self.links:
            self.relate_by_uuid(*link)
        for sample_type, (_, is_open, _) in list(self.runs.items()):
            if is_open:
                self.end_run(sample_type, "failed", error_kind="source_" + ("incomplete" if source == "completed" else source))
        if source == "completed":  # of one that ended early the links may still come
            self.end_links()
        status = self.status(source)
        if self.start == "compared":
            if self.evidence() != self.before or source == "completed" and self.is_left_out():
                raise Refused(f"differs from observation {self.id}, which has the same date")
            return scalar(self.connection, "SELECT status FROM observations WHERE id = ?", self.id)
        if self.goes_beyond and not self.is_longer(source, status):
            self.id, self.start = self.goes_beyond, "compared"
            return scalar(self.connection, "SELECT status FROM observations WHERE id = ?", self.id)
        return self.end(self.id, status)

    # What is sent again

    def captured(self):
        """The observations that what is sent is held against."""
        return self.same_date if self.start == "new" else [self.id] if self.start == "resumed" else [*self.same_date, self.id]

    def note_stored(self):
        """Keeps the runs, rejected records and withheld closures of what was captured, as they are before anything is sent."""
        self.stored_runs = {observation_id: self.runs_of(observation_id) for observation_id in self.captured()}
        is_open = lambda table: [row for row in self.rows_of(table, self.captured(), "first_observation_id") if row["last_observation_id"] is None]
        self.stored_rejections, self.stored_withheld = is_open("rejected_records"), {row["sample_id"] for row in is_open("withheld_closures")}

    def catch_up(self):
        """Of an observation that is resumed: whether all that it has was sent again by now, and nothing contradicts it."""
        if self.is_behind and (self.is_contradicted or not (self.has_lost_events() or self.has_lost_notes() or self.has_other_run())):
            if self.is_contradicted or self.has_contradiction():
                raise Refused(f"differs from observation {self.id}, which is running")
            self.is_behind = False

    def rows_of(self, table, observations, column="observation_id"):
        return [row for row in self.connection.execute(f"SELECT * FROM {table}") if row[column] in observations]

    def is_left_out(self):
        """Whether evidence that was captured is not sent."""
        links = {(row["source_sample_id"], row["target_sample_id"], row["relationship_kind"]) for row in self.rows_of("sample_relationships", self.captured())}
        return bool(links - self.seen_links) or self.has_lost_events()

    def has_lost_events(self):
        events = self.rows_of("sample_observation_events", self.captured())
        records = {row["sample_id"] for row in events if row["event_kind"] != "disappeared"}
        deletions = {row["sample_id"] for row in events if row["evidence_kind"] == "deleted_object"}
        return bool(records - set(self.seen) or deletions - self.deletions_sent)

    def is_longer(self, source, status):
        """Whether there is more than was captured of the date, and all of that again. What contradicts it is refused."""
        is_more = self.evidence() != self.before or self.has_more_notes() or self.has_more_runs(source, status)
        is_whole = not (self.is_left_out() or self.has_lost_notes() or self.has_other_run())
        if self.is_contradicted or self.has_contradiction() or (is_more or source == "completed") and not is_whole:
            raise Refused(f"differs from observation {self.goes_beyond}, which has the same date")
        return is_more

    def has_more_notes(self):
        return any(self.rows_of(table, [self.id], column) for table in ("rejected_records", "withheld_closures", "source_documents")
                   for column in ("first_observation_id", "last_observation_id"))

    def runs_of(self, observation_id):
        return {row["sample_type_id"]: dict(row) for row in self.connection.execute(
            "SELECT * FROM observation_type_runs LEFT JOIN type_run_facts ON type_run_id = id WHERE observation_id = ?", (observation_id,))}

    def has_more_runs(self, source, status):
        before = self.runs_of(self.goes_beyond)
        if source == "completed" and status != scalar(self.connection, "SELECT status FROM observations WHERE id = ?", self.goes_beyond):
            return True
        for type_id, run in self.runs_of(self.id).items():
            known = before.get(type_id)
            if known is None:
                return True
            if known["status"] == "completed":
                continue
            if run["status"] == "completed" or source == "completed" and (run["status"], run["error_kind"]) != (known["status"], known["error_kind"]):
                return True
        return False

    def has_other_run(self):
        """Whether a run that was begun is not there, or one that was completed is another."""
        now, facts = self.runs_of(self.id), ("status", "anchor_before", "anchor_after", "mode", "stated_count")
        return any(type_id not in now or run["status"] == "completed" and any(now[type_id][name] != run[name] for name in facts)
                   for type_id, run in self.stored_runs[self.goes_beyond or self.id].items())

    def has_lost_notes(self):
        """Whether a rejected record or a document that was there is not, or a record that was missed is there after all."""
        sent = self.rejections()
        if any(sent.get(row["content_hash"], [0])[0] < row["record_count"] for row in self.stored_rejections):
            return True
        withheld = {row["sample_id"] for row in self.rows_of("withheld_closures", self.captured(), "first_observation_id") if row["last_observation_id"] is None}
        return bool(self.stored_withheld - withheld) or any(
            row["last_observation_id"] == self.id for row in self.rows_of("source_documents", self.captured(), "first_observation_id"))

    def has_contradiction(self):
        events = [row for row in self.rows_of("sample_observation_events", [self.id]) if row["id"] > self.last_event]
        captured = [row for row in self.rows_of("sample_observation_events", self.captured()) if row["id"] <= self.last_event]
        completed = {type_id for runs in self.stored_runs.values() for type_id, run in runs.items() if run["status"] == "completed"}
        type_of = dict(tuple(row) for row in self.connection.execute("SELECT id, sample_type_id FROM samples"))
        known = {row["sample_id"] for row in captured}
        for row in events:
            is_change = row["event_kind"] == "representation_changed" or (row["event_kind"], row["evidence_kind"]) == ("disappeared", "full_scan")
            if type_of[row["sample_id"]] in completed or is_change and row["sample_id"] in known:
                return True
        if self.start == "resumed":
            return False  # relationships are written with the end
        name = lambda row: (row["source_sample_id"], row["target_sample_id"], row["relationship_kind"])
        told = {name(row) for table in ("sample_relationships", "relationship_ends") for row in self.rows_of(table, self.same_date)}
        return any(name(row) in told for row in self.rows_of("sample_relationships", [self.id]))

    def status(self, source):
        if source != "completed":
            return {"cancelled": "cancelled", "failed": "failed"}.get(source, "partial_" + source)
        if any(is_incomplete for _, _, is_incomplete in self.runs.values()):
            return "partial_types"
        return "needs_review" if self.rejected or self.conflicts else "completed"

    def evidence(self):
        return {table: sorted(map(tuple, self.connection.execute(f"SELECT * FROM {table}")), key=repr) for table in EVIDENCE}

    # What the archive has

    def load(self):
        connection = self.connection
        self.seen, self.targets = {}, set()  # {sample: payload of the record}; members' samples
        self.payload_of, self.versions = {}, {}
        self.types = {row["type_identifier"]: row["id"] for row in connection.execute("SELECT * FROM sample_types")}
        self.samples, self.by_uuid = {}, {}
        for row in connection.execute("SELECT * FROM samples"):
            self.samples[row["sample_type_id"], row["strict_fingerprint"]] = row["id"]
            self.by_uuid[row["sample_type_id"], row["sample_uuid_hash"]] = row["id"]
        for row in connection.execute("SELECT * FROM sample_versions"):
            self.versions[row["sample_id"], row["payload_hash"]] = row["id"]
            self.payload_of[row["id"]] = row["payload_hash"]
        ranges = connection.execute("""
            SELECT * FROM sample_visibility_ranges JOIN observations ON observations.id = first_observation_id AND device_chain_id = ?""",
                                    (self.chain,)).fetchall()
        # What later observations did is not there yet, for one that is compared.
        ranges = [row for row in ranges if row["first_observation_id"] <= self.id]
        self.visible = {row["sample_id"]: row["version_id"] for row in ranges if row["last_observation_id"] is None or row["last_observation_id"] > self.id}
        date = [*self.same_date, self.id]
        self.visible_before = {row["sample_id"] for row in ranges if row["first_observation_id"] < date[0]
                               and (row["last_observation_id"] or date[0]) >= date[0]}
        events = self.rows_of("sample_observation_events", date)
        self.events = {(row["sample_id"], row["event_kind"]) for row in events}
        self.seen_before = defaultdict(set)  # what the part that is there already saw: {sample: payloads}
        for row in events:
            if (self.start == "resumed" or self.goes_beyond) and row["event_kind"] != "disappeared" and row["version_id"] is not None:
                self.seen_before[row["sample_id"]].add(self.payload_of[row["version_id"]])
        self.removed = {row["sample_id"] for row in events if row["evidence_kind"] == "deleted_object"}
        self.removed_before = set(self.removed)
        self.missed = {row["sample_id"] for row in events if row["event_kind"] == "disappeared" and row["evidence_kind"] == "full_scan"}

    def type_id(self, identifier, display_name=None, category=None):
        """The id of a type. Its name and category are the first that a run stated."""
        if identifier not in self.types:
            self.types[identifier] = insert(self.connection, "sample_types", type_identifier=identifier)
        self.connection.execute("UPDATE sample_types SET display_name = coalesce(display_name, ?), category = coalesce(category, ?) WHERE id = ?",
                                (display_name, category, self.types[identifier]))
        return self.types[identifier]

    # Type runs

    def begin_run(self, sample_type, mode, anchor_before=None, anchor_problem=None, **columns):
        type_id = self.type_id(sample_type, **columns)
        self.runs[sample_type] = (mode, True, False)
        self.connection.execute("DELETE FROM type_run_facts WHERE type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id = ? AND sample_type_id = ?)",
                                (self.id, type_id))
        self.connection.execute("DELETE FROM observation_type_runs WHERE observation_id = ? AND sample_type_id = ?", (self.id, type_id))
        run = insert(self.connection, "observation_type_runs", observation_id=self.id, sample_type_id=type_id, status="started", started_at=time.time(),
               anchor_before=anchor_before, error_kind=anchor_problem and "anchor_" + anchor_problem)
        insert(self.connection, "type_run_facts", type_run_id=run, mode=mode, state="unknown")

    def end_run(self, sample_type, status, anchor_after=None, verified_visible_count=None, error_kind=None, error_message=None, is_remembered=True):
        mode, _, _ = self.runs[sample_type]
        self.runs[sample_type] = (mode, False, status != "completed")
        type_id = self.types[sample_type]
        self.settle(type_id)
        before = scalar(self.connection, "SELECT error_kind FROM observation_type_runs WHERE observation_id = ? AND sample_type_id = ?", self.id, type_id)
        if status == "completed" and sample_type in self.rejected_types:
            error_kind = "rejected_records"
        is_of_before = self.start == "compared" and not scalar(self.connection, "SELECT 1 FROM observation_facts WHERE observation_id = ?", self.id)
        if status == "completed" and mode == "full_scan" and not (is_of_before and sample_type in self.rejected_types):
            self.close_unseen(type_id)
        hashed = None if error_message is None else self.secret.hmac(identity.error_message_preimage(error_message))
        self.connection.execute("""
            UPDATE type_run_facts SET stated_count = ?, conflict_count = ?, unread_count = ? WHERE type_run_id = (
                SELECT id FROM observation_type_runs WHERE observation_id = ? AND sample_type_id = ?)""",
                                (verified_visible_count, self.conflicts_of[type_id], self.unread_of[type_id], self.id, type_id))
        self.connection.execute("""
            UPDATE observation_type_runs SET status = ?, ended_at = ?, anchor_after = ?, error_kind = ?, error_message_hash = ?
            WHERE observation_id = ? AND sample_type_id = ?""",
                                (status, time.time(), anchor_after, before if error_kind is None else error_kind, hashed, self.id, type_id))
        if is_remembered:
            self.remember([sample_type], is_all=False)

    def close_unseen(self, type_id):
        of_type = {row["id"] for row in self.connection.execute("SELECT id FROM samples WHERE sample_type_id = ?", (type_id,))}
        for sample, version in sorted(self.visible.items()):
            if sample in of_type and sample not in self.seen:
                if self.could_be(sample, version, type_id):
                    self.withheld.append((type_id, sample))
                    continue
                self.close_range(sample, version)
                self.event(sample, version, "disappeared", "full_scan")

    def reject(self, rejection):
        """A record that cannot be stored; one without a type weighs on all runs."""
        self.rejected.append(rejection)
        self.rejected_types.add(rejection.sample_type)

    def rejections(self):
        """What was rejected so far: {hash of what was read: [how often, the first one]}."""
        found = {}
        for rejection in self.rejected:
            preimage = "hp:v2:rejected_record:" + identity.canonical(rejection.content)
            found.setdefault(self.secret.hmac(preimage), [0, rejection])[0] += 1
        return found

    def open_rejections(self):
        return {row["content_hash"]: row for row in self.connection.execute(
            "SELECT * FROM rejected_records WHERE device_chain_id = ? AND last_observation_id IS NULL", (self.chain,))}

    def open_withheld(self):
        """{sample: observation that missed it first}"""
        return {row["sample_id"]: row["first_observation_id"] for row in self.connection.execute("""
            SELECT withheld_closures.* FROM withheld_closures JOIN observations ON observations.id = first_observation_id
            WHERE device_chain_id = ? AND last_observation_id IS NULL""", (self.chain,))}

    def last_seen(self, sample, version, type_id):
        """The observation that saw a missing sample last."""
        began = scalar(self.connection, """
            SELECT max(first_observation_id) FROM sample_visibility_ranges JOIN observations ON observations.id = first_observation_id
            WHERE sample_id = ? AND version_id = ? AND device_chain_id = ? AND first_observation_id <= ?
            AND coalesce(last_observation_id > ?, 1)""", sample, version, self.chain, self.id, self.id)
        scan = scalar(self.connection, """
            SELECT max(observation_id) FROM observation_type_runs AS runs JOIN type_run_facts ON type_run_id = runs.id
            JOIN observations ON observations.id = observation_id
            WHERE sample_type_id = ? AND device_chain_id = ? AND mode = 'full_scan' AND runs.status = 'completed' AND observation_id < ?""",
                      type_id, self.chain, self.open_withheld().get(sample, self.id))
        return max(began, scan or 0)

    def could_be(self, sample, version, type_id):
        """Whether a rejected record could be a sample that is missing: one that was not there when that was seen last."""
        start = scalar(self.connection, "SELECT start_date FROM sample_versions WHERE id = ?", version)
        seen, known = self.last_seen(sample, version, type_id), self.open_rejections()
        for content, (count, rejection) in self.rejections().items():
            if rejection.sample_type is not None and self.types[rejection.sample_type] != type_id:
                continue
            if rejection.start is not None and rejection.start != start:
                continue
            row = known.get(content)
            if row is None or row["record_count"] < count or row["first_observation_id"] > seen:
                return True
        return False

    def remember(self, sample_types, is_all):
        """Writes what was rejected in runs that ended, and what they withheld."""
        type_ids = {self.types[name] for name in sample_types}
        scanned = {self.types[name] for name in sample_types if self.runs[name][0] == "full_scan" and not self.runs[name][2]}
        ours = {content: (count, rejection, rejection.sample_type and self.types[rejection.sample_type])
                for content, (count, rejection) in self.rejections().items()}
        for content, row in self.open_rejections().items():
            count, _, type_id = ours.get(content, (0, None, None))
            is_scanned = row["sample_type_id"] in scanned or is_all and row["sample_type_id"] is None
            is_more = count > row["record_count"] and (type_id is None or type_id in type_ids)
            if is_scanned and count != row["record_count"] or is_more:
                self.connection.execute("UPDATE rejected_records SET last_observation_id = ? WHERE id = ?", (self.id, row["id"]))
        self.connection.execute("DELETE FROM rejected_records WHERE last_observation_id = first_observation_id")
        known = self.open_rejections()
        for content, (count, rejection, type_id) in ours.items():
            if content not in known and (type_id is None or type_id in type_ids):
                insert(self.connection, "rejected_records", device_chain_id=self.chain, sample_type_id=type_id, content_hash=content,
                       record_count=count, reason=rejection.reason, place="file" if str(rejection.line).startswith("file ") else f"line {rejection.line}", start_date=rejection.start,
                       first_observation_id=self.id)
        for sample in self.open_withheld():
            if sample in self.seen or sample not in self.visible:
                self.connection.execute("UPDATE withheld_closures SET last_observation_id = ? WHERE sample_id = ? AND last_observation_id IS NULL",
                                        (self.id, sample))
        withheld = self.open_withheld()
        for type_id, sample in self.withheld:
            if sample not in withheld:
                insert(self.connection, "withheld_closures", sample_id=sample, first_observation_id=self.id)
        for type_id in type_ids:
            self.connection.execute("""
                UPDATE type_run_facts SET withheld_count = ? WHERE type_run_id = (
                    SELECT id FROM observation_type_runs WHERE observation_id = ? AND sample_type_id = ?)""",
                                    (sum(of == type_id for of, _ in self.withheld), self.id, type_id))
        self.counts["withheld"] += len(self.withheld)
        self.withheld = []

    # Records

    def objects(self, record):
        """The source, device and metadata hash of a record as they stand in its payload."""
        source = device = metadata_hash = None
        if record.source is not None:
            source = {key: value for key, value in record.source.items() if key != "name"}
            if "name" in record.source:
                source["source_name_hash"] = self.secret.hmac(identity.source_name_preimage(record.source["name"]))
        if record.device is not None:
            device = identity.device_object(self.secret, record.device)
        if record.metadata:
            metadata_hash = identity.sha256(identity.metadata_preimage(record.metadata_json))
        return source, device, metadata_hash

    def references(self, record):
        """The ids of what a version refers to; rows are made where there are none."""
        source, device, metadata_hash = self.objects(record)
        connection, ids = self.connection, {}
        if source is not None:
            source_id = row_with(connection, "sources", source_name_hash=source.get("source_name_hash"), bundle_identifier=source.get("bundle_identifier"))
            ids["source_revision_id"] = row_with(connection, "source_revisions", source_id=source_id, **{
                name: source.get(name) for name in ("product_type", "version", "operating_system_version")})
        if device is not None:
            ids["hk_device_id"] = row_with(connection, "hk_devices", **device)
        if metadata_hash is not None:
            ids["metadata_id"] = self.metadata_id(record.metadata_json)
        return ids

    def metadata_id(self, text):
        return row_with(self.connection, "metadata_blobs", metadata_hash=identity.sha256(identity.metadata_preimage(text)), metadata_json=text)

    def prepared(self, record):
        """Type id, fingerprint of ordinal 0 and payload hash of a record."""
        payload = identity.sha256(identity.payload_preimage(record.sample_type, record.columns, *self.objects(record)))
        bundle = (record.source or {}).get("bundle_identifier")
        return self.type_id(record.sample_type), identity.sha256(identity.strict_preimage(record.sample_type, record.columns, bundle)), payload

    def take(self, record):
        """A record, with the evidence that it was seen. Spec/capture.md, the two tables of samples. `taken` has its sample, once that is decided."""
        type_id, first, payload = self.prepared(record)
        if record.is_unread:
            self.unread_of[type_id] += 1
            payload = self.visible_payload(record, type_id, first) or payload
        sample = self.alike_sample(record, type_id, first, payload) if record.uuid is None else self.uuid_sample(record, type_id, first)
        if sample is None:
            self.waiting.append((type_id, first, payload, record))
        else:
            self.take_as(sample, record, payload)

    def alike_sample(self, record, type_id, first, payload):
        """The sample of a record without a UUID, or None where it waits for those that are still to come."""
        alike = [sample for _, sample in self.alike(type_id, first)][:-1]
        for sample in alike:
            if sample not in self.seen and sample in self.visible and self.payload_of[self.visible[sample]] == payload:
                return sample
        return None if alike else self.new_sample(record, type_id, first, 0)

    def settle(self, type_id=None):
        """Decides what the records that wait are: equal payloads first, then in the order of payloads what is visible, what is not, and new samples."""
        ready = [entry for entry in self.waiting if type_id in (None, entry[0])]
        self.waiting = [entry for entry in self.waiting if type_id is not None and entry[0] != type_id]
        groups = defaultdict(list)
        for type_of, first, payload, record in ready:
            groups[type_of, first].append((payload, len(groups[type_of, first]), record))
        for (type_of, first), records in sorted(groups.items()):
            free = [sample for _, sample in self.alike(type_of, first) if sample is not None and sample not in self.seen]
            found = {}
            for payload, number, _ in sorted(records, key=lambda entry: entry[:2]):
                equal = [sample for sample in free if self.stated_payload(sample) == payload]
                if equal:
                    found[number] = equal[0]
                    free.remove(equal[0])
            free = [sample for sample in free if not self.seen_before.get(sample)]
            free.sort(key=lambda sample: sample not in self.visible)
            new = []
            for payload, number, record in sorted(records, key=lambda entry: entry[:2]):
                sample = found.get(number) or (free.pop(0) if free else None)
                if sample is None:
                    new.append((payload, record))
                else:
                    self.take_as(sample, record, payload)
            self.add_alike(type_of, first, new)

    def add_alike(self, type_id, first, new):
        """New samples of a group, in the order of their payloads. The one that began the group in this observation was written at once, and gets its place among them."""
        alike = [sample for _, sample in self.alike(type_id, first)][:-1]
        ordinal = len(alike)
        if new and len(alike) == 1:
            row = self.connection.execute("SELECT * FROM samples WHERE id = ?", alike).fetchone()
            if row["first_seen_observation_id"] == self.id and row["sample_uuid_hash"] is None and alike[0] in self.visible:
                ordinal = 0
                del self.samples[type_id, first]
                new = sorted(new + [(self.payload_of[self.visible[alike[0]]], None)], key=lambda entry: (entry[0], entry[1] is not None))
                place = next(number for number, (_, record) in enumerate(new) if record is None)
                strict = identity.alike_fingerprint(first, place)
                self.connection.execute("UPDATE samples SET strict_fingerprint = ? WHERE id = ?", (strict, alike[0]))
                self.samples[type_id, strict] = alike[0]
        for number, (payload, record) in enumerate(new, ordinal):
            if record is not None:
                self.take_as(self.new_sample(record, type_id, first, number), record, payload)

    def stated_payload(self, sample):
        """What is visible of a sample; of one that is not, what the part that is there already saw."""
        if sample in self.visible:
            return self.payload_of[self.visible[sample]]
        return min(self.seen_before.get(sample) or [None])

    def take_as(self, sample, record, payload):
        self.taken[id(record)] = self.write(sample, record, payload)

    def write(self, sample, record, payload):
        type_id = self.type_id(record.sample_type)
        if sample in self.seen:
            if self.seen[sample] != payload:
                self.note_conflict(type_id)
            return sample
        self.seen[sample] = payload
        before = self.visible.get(sample)
        if before is not None and self.payload_of[before] == payload:
            return sample
        if before is None and sample in self.missed:  # by a full scan of the part that is there already
            self.note_conflict(type_id)
            self.is_contradicted = True
            return sample
        if self.contradicts(sample, payload) or self.says_more(sample, payload):
            self.note_conflict(type_id)
            self.is_contradicted = True
            if not self.seen_before.get(sample):
                return sample
            self.seen[sample] = min(self.seen_before[sample])
            return sample
        version, evidence = self.version_of(sample, payload, record), "full_scan" if self.mode(record.sample_type) == "full_scan" else "anchored_query"
        if sample in self.removed:
            if sample not in self.visible_before and self.event(sample, version, "appeared", evidence):
                self.open_range(sample, version)
                self.close_range(sample, version)
        elif before is None:
            self.event(sample, version, "appeared", evidence)
            self.open_range(sample, version)
        else:
            self.event(sample, version, "representation_changed", evidence)
            self.close_range(sample, before)
            self.open_range(sample, version)
        return sample

    def note_conflict(self, type_id):
        self.conflicts += 1
        self.conflicts_of[type_id] += 1

    def visible_payload(self, record, type_id, first):
        """The payload that is shown of a record with an unread part, where all that was read is the same."""
        wanted = self.references(record)
        read = lambda text: {key: value for key, value in json.loads(text or "{}").items() if key != "hp:route"}
        for _, sample in self.alike(type_id, first):
            version = self.visible.get(sample)
            if sample is None or sample in self.seen or sample in self.settled or version is None:
                continue
            row = self.connection.execute("""SELECT sample_versions.*, metadata_json FROM sample_versions
                LEFT JOIN metadata_blobs ON metadata_blobs.id = metadata_id WHERE sample_versions.id = ?""", (version,)).fetchone()
            if all(row[name] == wanted.get(name) for name in ("source_revision_id", "hk_device_id")) and read(row["metadata_json"]) == read(record.metadata_json):
                self.settled.add(sample)
                return row["payload_hash"]
        return None

    def contradicts(self, sample, payload):
        payloads = self.seen_before.get(sample, set())
        return bool(payloads) and payload not in payloads

    def says_more(self, sample, payload):
        """Whether a record says more of a sample that an observation of the date deleted, which this one goes beyond."""
        if not self.goes_beyond or sample not in self.removed_before:
            return False
        return (sample, payload) not in self.versions or sample not in self.visible_before and (sample, "appeared") not in self.events

    def mode(self, sample_type):
        return self.runs[sample_type][0]

    def uuid_sample(self, record, type_id, first):
        hashed = self.secret.hmac(identity.sample_uuid_preimage(record.uuid))
        if (type_id, hashed) not in self.by_uuid:
            ordinal = next(ordinal for ordinal, sample in self.alike(type_id, first) if sample is None)
            self.by_uuid[type_id, hashed] = self.new_sample(record, type_id, first, ordinal, hashed)
        return self.by_uuid[type_id, hashed]

    def alike(self, type_id, first):
        """The samples that are alike, in order of ordinal, and then None."""
        ordinal = 0
        while True:
            sample = self.samples.get((type_id, identity.alike_fingerprint(first, ordinal)))
            yield ordinal, sample
            if sample is None:
                return
            ordinal += 1

    def new_sample(self, record, type_id, first, ordinal, uuid_hash=None):
        semantic, fuzzy = identity.family(record.sample_type, record.columns)
        strict = identity.alike_fingerprint(first, ordinal)
        sample = self.samples[type_id, strict] = insert(
            self.connection, "samples", sample_type_id=type_id, sample_uuid_hash=uuid_hash, strict_fingerprint=strict,
            semantic_fingerprint=semantic and identity.sha256(semantic), fuzzy_key=fuzzy,
            first_seen_observation_id=self.id, first_seen_at=self.observed_at)
        return sample

    def version_of(self, sample, payload, record):
        if (sample, payload) not in self.versions:
            version = insert(self.connection, "sample_versions", sample_id=sample, payload_hash=payload, **record.columns,
                             **self.references(record), created_observation_id=self.id)
            self.versions[sample, payload] = version
            self.payload_of[version] = payload
        return self.versions[sample, payload]

    def open_range(self, sample, version):
        insert(self.connection, "sample_visibility_ranges", sample_id=sample, version_id=version,
               first_observation_id=self.id, first_seen_at=self.observed_at)
        self.visible[sample] = version

    def seen_last(self, sample):
        """When a sample that is visible was seen last, before this observation."""
        return archive_text.last_seen(self.connection, self.chain, sample, self.id, *self.connection.execute("""
            SELECT first_observation_id, first_seen_at FROM sample_visibility_ranges JOIN observations ON observations.id = first_observation_id
            WHERE sample_id = ? AND last_observation_id IS NULL AND device_chain_id = ?""", (sample, self.chain)).fetchone())

    def close_range(self, sample, version):
        self.connection.execute("""
            UPDATE sample_visibility_ranges SET last_observation_id = ?, last_seen_at = ?
            WHERE sample_id = ? AND version_id = ? AND last_observation_id IS NULL
              AND first_observation_id IN (SELECT id FROM observations WHERE device_chain_id = ?)""",
                                (self.id, self.seen_last(sample), sample, version, self.chain))
        del self.visible[sample]

    def event(self, sample, version, kind, evidence):
        """Whether there was no such event yet: what is there stays as it is."""
        if (sample, kind) in self.events:
            return False
        self.events.add((sample, kind))
        insert(self.connection, "sample_observation_events", observation_id=self.id, sample_id=sample, version_id=version,
               event_kind=kind, observed_at=self.observed_at, evidence_kind=evidence)
        return True

    # Deleted objects

    def known_sample(self, sample_type, uuid):
        """The sample with a UUID; one without a version is made where there is none."""
        type_id, hashed = self.type_id(sample_type), self.secret.hmac(identity.sample_uuid_preimage(uuid))
        if (type_id, hashed) not in self.by_uuid:
            self.by_uuid[type_id, hashed] = insert(
                self.connection, "samples", sample_type_id=type_id, sample_uuid_hash=hashed,
                strict_fingerprint=identity.sha256(identity.unseen_preimage(sample_type, hashed)),
                first_seen_observation_id=self.id, first_seen_at=self.observed_at)
        return self.by_uuid[type_id, hashed]

    def delete(self, sample_type, uuid):
        sample = self.known_sample(sample_type, uuid)
        version = self.visible.get(sample)
        self.deletions_sent.add(sample)
        if self.event(sample, version, "disappeared", "deleted_object"):
            self.removed.add(sample)
            if version is not None:
                self.close_range(sample, version)

    # Beside the records

    def note_documents(self, documents, closes):
        """Documents are ranges like samples: what is not seen again is closed where all were looked at."""
        seen = set()
        for kind, name, name_hash, size, content_hash in documents:
            key = dict(device_chain_id=self.chain, name_hash=name_hash, content_hash=content_hash)
            row = scalar(self.connection, "SELECT id FROM source_documents WHERE device_chain_id = ? AND name_hash = ? AND content_hash = ? "
                         "AND last_observation_id IS NULL", *key.values())
            seen.add(row or insert(self.connection, "source_documents", **key, kind=kind, name=name, size=size, first_observation_id=self.id))
        for row in self.connection.execute("SELECT id, name_hash FROM source_documents WHERE device_chain_id = ? AND last_observation_id IS NULL", (self.chain,)).fetchall():
            if row["id"] not in seen and (closes or row["name_hash"] in {document[2] for document in documents}):
                self.connection.execute("UPDATE source_documents SET last_observation_id = ? WHERE id = ?", (self.id, row["id"]))

    def note_unknown(self, names):
        """What was not known of the source that was read last."""
        self.connection.execute("DELETE FROM unknown_elements WHERE observation_id = ?", (self.id,))
        for (kind, name), count in names.items():
            insert(self.connection, "unknown_elements", observation_id=self.id, kind=kind, name=name, occurrence_count=count)

    # Links

    def link_members(self, members):
        """Records in a correlation or a workout, after all others: (outer record or None, member, kind). Of those that are alike to no record, the first
        becomes one."""
        alone = set()
        for _, member, _ in members:
            type_id, first, _ = self.prepared(member)
            if (type_id, first) not in alone and self.member_sample(member) is None:
                alone.add((type_id, first))
                self.counts["correlation_member_only"] += 1
                self.take(member)
        self.settle()
        for outer, member, kind in members:
            sample = self.member_sample(member)
            self.targets.add(sample)
            if outer is not None:
                self.relate(self.taken[id(outer)], sample, kind)

    def member_sample(self, member):
        """The sample of the same record at the top level, or None where that has none alike."""
        type_id, first, payload = self.prepared(member)
        alike = [sample for _, sample in self.alike(type_id, first) if sample in self.seen]
        free = [sample for sample in alike if sample not in self.targets]
        same = [sample for sample in free if self.seen[sample] == payload]
        return next(iter(same + free + alike), None)

    def relate_by_uuid(self, source, target, kind, metadata):
        text = None if metadata is None else identity.canonical(metadata)
        self.relate(self.known_sample(*source), self.known_sample(*target), kind, text)

    def relate(self, source, target, kind, metadata_json=None):
        if (source, target, kind) in self.seen_links:
            return
        self.seen_links.add((source, target, kind))
        metadata = None if metadata_json is None else self.metadata_id(metadata_json)
        row = self.link_rows().get((source, target, kind))
        if row and not self.is_ended(row) and (row["metadata_id"] == metadata or self.start == "resumed" and row["observation_id"] == self.id):
            return
        insert(self.connection, "sample_relationships", observation_id=self.id, source_sample_id=source, target_sample_id=target,
               relationship_kind=kind, metadata_id=metadata)

    def link_rows(self):
        """The newest row of each link on the chain."""
        return {(row["source_sample_id"], row["target_sample_id"], row["relationship_kind"]): row for row in self.connection.execute("""
            SELECT links.* FROM sample_relationships AS links LEFT JOIN observations ON observations.id = observation_id
            WHERE coalesce(device_chain_id, ?) = ? ORDER BY observation_id, links.id""", (self.chain, self.chain))}

    def is_ended(self, row):
        return scalar(self.connection, """
            SELECT 1 FROM relationship_ends WHERE source_sample_id = ? AND target_sample_id = ? AND relationship_kind = ? AND observation_id > ?""",
                      row["source_sample_id"], row["target_sample_id"], row["relationship_kind"], row["observation_id"])

    def end_links(self):
        """A link that was not seen has ended where both samples were, by full scans of their types."""
        scanned = {self.types[name] for name, (mode, _, is_incomplete) in self.runs.items() if mode == "full_scan" and not is_incomplete}
        withheld = self.open_withheld()
        type_of = {row["id"]: row["sample_type_id"] for row in self.connection.execute("SELECT * FROM samples")}
        for link, row in self.link_rows().items():
            if link not in self.seen_links and row["observation_id"] is not None and row["observation_id"] < self.id and not self.is_ended(row) \
                    and all(type_of[sample] in scanned and sample in self.visible and sample not in withheld for sample in link[:2]):
                insert(self.connection, "relationship_ends", observation_id=self.id, source_sample_id=link[0], target_sample_id=link[1],
                       relationship_kind=link[2])
