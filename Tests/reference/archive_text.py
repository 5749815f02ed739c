"""Looks at an archive from its rows alone: a text without row ids, and what does not follow from what.

`dump` gives one line for each row of evidence; two archives with the same evidence give the same lines, whatever their ids.
`findings` recomputes ranges from events, every hash that needs no secret, and every aggregate, and holds rejected
records and ends of links beside the observations that wrote them.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import math
from collections import defaultdict

import identity
from export_bundle import canonical

RUNNING = ("running", "started")


def rows(connection, query, *values):
    return connection.execute(query, values).fetchall()


def plain(value):
    """A stored value as it can stand in canonical JSON; what cannot is text that says so."""
    if isinstance(value, bytes):
        return "blob:" + value.hex()
    if isinstance(value, (str, int)) or math.isfinite(value):
        return value
    return f"{type(value).__name__}:{value!r}"


def members(row, names):
    """The columns of a row that are not NULL."""
    return {name: plain(row[name]) for name in names.split() if row[name] is not None}


def source_object(connection, revision_id):
    """The object `source` of Spec/items.md of a row of source_revisions."""
    row = connection.execute("""
        SELECT bundle_identifier, source_name_hash, operating_system_version, product_type, version
        FROM source_revisions JOIN sources ON sources.id = source_id WHERE source_revisions.id = ?""", (revision_id,)).fetchone()
    return members(row, "bundle_identifier source_name_hash operating_system_version product_type version")


def carried(source):
    """A source as a bucket has it: without a text that no document can carry."""
    return {name: text for name, text in source.items() if "\0" not in text}


DEVICE = "device_hash firmware_version hardware_version local_identifier_hash manufacturer_hash model software_version udi_hash"


class Keys:
    """Names for rows that do not depend on their ids."""

    def __init__(self, connection, text=canonical):
        self.text = text
        order = rows(connection, "SELECT id FROM observations ORDER BY id")
        self.observation = {row["id"]: number for number, row in enumerate(order, 1)}
        self.chain = {row["id"]: row["device_chain_hash"] for row in rows(connection, "SELECT * FROM device_chains")}
        self.type = {row["id"]: row["type_identifier"] for row in rows(connection, "SELECT * FROM sample_types")}
        self.source = {row["id"]: members(row, "bundle_identifier source_name_hash") for row in rows(connection, "SELECT * FROM sources")}
        self.revision = {row["id"]: source_object(connection, row["id"]) for row in rows(connection, "SELECT id FROM source_revisions")}
        self.device = {row["id"]: members(row, DEVICE) for row in rows(connection, "SELECT * FROM hk_devices")}
        self.metadata = {row["id"]: row["metadata_hash"] for row in rows(connection, "SELECT * FROM metadata_blobs")}
        self.sample = {row["id"]: [self.type[row["sample_type_id"]], row["strict_fingerprint"]]
                       for row in rows(connection, "SELECT * FROM samples")}
        self.run = {row["id"]: [self.observation.get(row["observation_id"]), self.type.get(row["sample_type_id"])]
                    for row in rows(connection, "SELECT * FROM observation_type_runs")}
        self.version = {row["id"]: row["payload_hash"] for row in rows(connection, "SELECT id, payload_hash FROM sample_versions")}

    OF_COLUMN = {"observation": "observation", "device_chain": "chain", "sample_type": "type", "source": "source",
                 "source_revision": "revision", "hk_device": "device", "metadata": "metadata", "sample": "sample",
                 "version": "version", "created_observation": "observation", "first_observation": "observation",
                 "last_observation": "observation", "first_seen_observation": "observation", "source_sample": "sample",
                 "target_sample": "sample", "type_run": "run", "last_verified_observation": "observation"}

    def line(self, table, row, references, columns):
        entry = members(row, columns)
        for name in references.split():
            value = row[name + "_id"]
            if value is not None:
                entry[name] = getattr(self, self.OF_COLUMN[name]).get(value, f"missing:{value}")
        return table + " " + self.text(entry)


# What a version names; such a row that nothing refers to (of a record that was not stored) is no evidence.
REFERRED = {
    "sources": "id IN (SELECT source_id FROM source_revisions JOIN sample_versions ON source_revision_id = source_revisions.id)",
    "source_revisions": "id IN (SELECT source_revision_id FROM sample_versions)",
    "hk_devices": "id IN (SELECT hk_device_id FROM sample_versions)",
    "metadata_blobs": "id IN (SELECT metadata_id FROM sample_versions UNION SELECT metadata_id FROM sample_relationships)",
}

# Table: what becomes of its references, and its columns. Clocks and row ids are left out.
EVIDENCE = {
    "device_chains": ("", "device_chain_hash recovered_from_keychain"),
    "observations": ("device_chain", "observed_at status trigger_reason app_version os_version time_zone_identifier "
                     "time_zone_seconds_from_gmt schema_version selected_type_set_hash notes"),
    "sample_types": ("", "type_identifier display_name category"),
    "observation_type_runs": ("observation sample_type", "status anchor_before anchor_after inserted_event_count "
                              "deleted_event_count verified_visible_count error_kind error_message_hash"),
    "sources": ("", "source_name_hash bundle_identifier"),
    "source_revisions": ("source", "product_type version operating_system_version"),
    "hk_devices": ("", DEVICE),
    "metadata_blobs": ("", "metadata_hash metadata_json"),
    "samples": ("sample_type first_seen_observation", "sample_uuid_hash strict_fingerprint semantic_fingerprint fuzzy_key first_seen_at"),
    "sample_versions": ("sample source_revision hk_device metadata created_observation", "payload_hash start_date end_date "
                        "value_kind numeric_value unit category_value workout_activity_type duration_seconds"),
    "sample_observation_events": ("observation sample version", "event_kind observed_at evidence_kind"),
    "sample_visibility_ranges": ("sample version first_observation last_observation", "first_seen_at last_seen_at"),
    "sample_relationships": ("observation source_sample target_sample metadata", "relationship_kind"),
    "observation_type_summaries": ("observation sample_type", "visible_record_count appeared_count disappeared_count "
                                   "representation_changed_count earliest_start_date latest_end_date value_sum value_max aggregate_hash"),
    "type_run_facts": ("type_run last_verified_observation", "mode state stated_count withheld_count conflict_count unread_count discontinuity"),
    "rejected_records": ("device_chain sample_type first_observation last_observation", "content_hash record_count reason place start_date"),
    "relationship_ends": ("observation source_sample target_sample", "relationship_kind"),
    "withheld_closures": ("sample first_observation last_observation", ""),
    "observation_facts": ("observation", "clock_code person_hash zone_rules_hash"),
    "zone_rules": ("", "zone_rules_hash transitions_json"),
    "selected_type_sets": ("", "selected_type_set_hash types_json"),
    "source_documents": ("device_chain first_observation last_observation", "kind name name_hash size content_hash"),
    "unknown_elements": ("observation", "kind name occurrence_count"),
    "daily_type_aggregates": ("observation sample_type source_revision", "bucket_start bucket_end visible_record_count value_sum "
                              "value_max aggregate_hash"),
}


def dump(connection, text=canonical):
    """The lines, tables in the order of EVIDENCE, the lines of a table sorted. `text` is how a row is written, where another form than canonical JSON does."""
    keys = Keys(connection, text)
    settings = rows(connection, "SELECT * FROM archive_metadata WHERE key IN ('schema_version', 'identity_rules')")
    lines = sorted("archive_metadata " + canonical({row["key"]: row["value"]}) for row in settings)
    tables = {row[0] for row in rows(connection, "SELECT name FROM sqlite_master")}
    for table, (references, columns) in EVIDENCE.items():
        if table not in tables:
            continue
        found = rows(connection, f"SELECT * FROM {table} WHERE {REFERRED.get(table, 1)}")
        if table == "observations":
            found = [without_importer(row) for row in found]
        lines += sorted(keys.line(table, row, references, columns) for row in found)
    return lines


def without_importer(row):
    """A row of observations; the program that read an export is no evidence."""
    row = dict(row)
    if row["trigger_reason"] == "apple_health_export":
        row["app_version"] = None
    return row


# Ranges from events

ORDER = {"appeared": 0, "representation_changed": 1, "disappeared": 2}


def last_seen(connection, chain, sample, end, first, first_seen_at):
    """When a sample was seen last before the observation `end` that says it is gone or another: by the newest observation since `first` that saw what is
    there of its type, but for those from which on it was withheld."""
    withheld = [row["first_observation_id"] for row in rows(connection, f"""
        SELECT withheld.* FROM withheld_closures AS withheld JOIN observations ON observations.id = first_observation_id
        WHERE sample_id = {sample} AND device_chain_id = {chain}""") if row["first_observation_id"] < end and (row["last_observation_id"] or end) >= end]
    bound = min(withheld, default=end)
    looks = [row for row in rows(connection, f"""
        SELECT runs.observation_id, runs.status, observed_at, mode, state FROM observation_type_runs AS runs
        JOIN observations ON observations.id = runs.observation_id LEFT JOIN type_run_facts ON type_run_id = runs.id
        WHERE device_chain_id = {chain} AND sample_type_id = (SELECT sample_type_id FROM samples WHERE id = {sample})""")
        if row["status"] == "completed" and first < row["observation_id"] < bound and (row["mode"] in (None, "full_scan") or row["state"] != "unknown")]
    return max(looks, key=lambda row: row["observation_id"])["observed_at"] if looks else first_seen_at


def rebuilt_ranges(connection):
    """(sample, version, first, first_seen_at, last, last_seen_at) of each range, by the rule of Spec/capture.md, each chain for itself."""
    events = rows(connection, """
        SELECT event.*, observations.device_chain_id FROM sample_observation_events AS event
        JOIN observations ON observations.id = observation_id""")
    events.sort(key=lambda row: (row["observation_id"], ORDER[row["event_kind"]]))
    is_open, ranges = {}, []
    # Archives of other engines have no such table.
    has_facts = rows(connection, "SELECT 1 FROM sqlite_master WHERE name = 'observation_facts'")
    ours = {row["observation_id"] for row in rows(connection, "SELECT observation_id FROM observation_facts")} if has_facts else set()
    for row in events:
        key = row["device_chain_id"], row["sample_id"]
        here = row["observation_id"], row["observed_at"]
        if row["event_kind"] != "appeared" and key in is_open:
            begun = is_open.pop(key)
            seen = last_seen(connection, *key, here[0], *begun[2:]) if here[0] in ours else here[1]
            ranges.append(begun + (here[0], seen))
        if row["event_kind"] != "disappeared":
            is_open[key] = (row["sample_id"], row["version_id"]) + here
    return ranges + [begun + (None, None) for begun in is_open.values()]


def may_be_right(connection, derived, stored):
    """Whether the stored `last_seen_at` of a range, which is not the derived one, may be right: facts that it follows from are missing."""
    sample, _, first, first_seen_at, last, seen = derived
    if stored is None or stored == seen:
        return False
    chain, sample_type = connection.execute(
        "SELECT device_chain_id, sample_type_id FROM observations, samples WHERE observations.id = ? AND samples.id = ?", (first, sample)).fetchone()
    between = {row["id"]: row["observed_at"] for row in rows(connection, f"SELECT * FROM observations WHERE device_chain_id = {chain} AND id > {first} AND id < {last}")}
    if stored != first_seen_at and stored not in between.values():
        return False
    stated = {row["key"] for row in rows(connection, "SELECT key FROM archive_metadata")}
    if "extension:capture_facts" not in stated:
        return "identity_rules" in stated
    if last not in {row["observation_id"] for row in rows(connection, "SELECT observation_id FROM observation_facts")}:
        return True
    facts = {row["type_run_id"]: row for row in rows(connection, "SELECT * FROM type_run_facts")}
    runs = rows(connection, "SELECT * FROM observation_type_runs")
    if facts.keys() - {run["id"] for run in runs}:
        return True
    withheld = rows(connection, f"""
        SELECT withheld.* FROM withheld_closures AS withheld JOIN samples ON samples.id = sample_id
        JOIN observations ON observations.id = first_observation_id WHERE sample_type_id = {sample_type} AND device_chain_id = {chain}""")
    for run in runs:
        at = run["observation_id"]
        if at in between and run["status"] == "completed" and run["sample_type_id"] == sample_type:
            there = sum(row["first_observation_id"] <= at and (row["last_observation_id"] is None or row["last_observation_id"] > at) for row in withheld)
            if run["id"] not in facts or facts[run["id"]]["withheld_count"] > there:
                return True
    return False


def range_findings(connection):
    stored = [tuple(row) for row in rows(connection, """
        SELECT sample_id, version_id, first_observation_id, first_seen_at, last_observation_id, last_seen_at
        FROM sample_visibility_ranges""")]
    rebuilt = rebuilt_ranges(connection)
    # A date that may be right is none that a check or a repair could call wrong.
    known = {row[:5]: row[5] for row in stored}
    rebuilt = [row[:5] + (known[row[:5]],) if row[4] is not None and may_be_right(connection, row, known.get(row[:5])) else row for row in rebuilt]
    yield from (f"range {row}: stored, does not follow from events" for row in sorted(set(stored) - set(rebuilt), key=repr))
    yield from (f"range {row}: follows from events, not stored" for row in sorted(set(rebuilt) - set(stored), key=repr))
    if len(stored) != len(set(stored)):
        yield "range: stored twice"


# Hashes


def version_rows(connection):
    return rows(connection, """
        SELECT version.*, type_identifier AS sample_type, samples.sample_uuid_hash, sample_type_id, metadata_hash
        FROM sample_versions AS version JOIN samples ON samples.id = sample_id
        JOIN sample_types ON sample_types.id = sample_type_id LEFT JOIN metadata_blobs ON metadata_blobs.id = metadata_id
        ORDER BY created_observation_id, version.id""")


def hash_findings(connection):
    keys = Keys(connection)
    for row in rows(connection, "SELECT * FROM metadata_blobs"):
        if identity.sha256(identity.metadata_preimage(row["metadata_json"])) != row["metadata_hash"]:
            yield f"metadata_blobs {row['id']}: metadata_hash"
    first_versions = {}
    for row in version_rows(connection):
        first_versions.setdefault(row["sample_id"], row)
        source, device = keys.revision.get(row["source_revision_id"]), keys.device.get(row["hk_device_id"])
        preimage = identity.payload_preimage(row["sample_type"], dict(row), source, device, row["metadata_hash"])
        if identity.sha256(preimage) != row["payload_hash"]:
            yield f"sample_versions {row['id']}: payload_hash"
    yield from sample_findings(connection, keys, first_versions)
    yield from aggregate_hash_findings(connection, keys)


def sample_findings(connection, keys, first_versions):
    alike = defaultdict(dict)  # (type, fingerprint of ordinal 0): {strict fingerprint: sample}
    for row in rows(connection, "SELECT * FROM samples"):
        version, sample_type = first_versions.get(row["id"]), keys.type[row["sample_type_id"]]
        unseen = identity.sha256(identity.unseen_preimage(sample_type, row["sample_uuid_hash"]))
        if row["sample_uuid_hash"] is not None and row["strict_fingerprint"] == unseen:
            # Known by its deletion first: it has no weak identity, also where a version came.
            yield from (f"samples {row['id']}: {column}" for column in ("semantic_fingerprint", "fuzzy_key") if row[column] is not None)
            continue
        if version is None:
            yield f"samples {row['id']}: strict_fingerprint of a sample without a version"
            continue
        source = keys.revision.get(version["source_revision_id"], {})
        first = identity.sha256(identity.strict_preimage(sample_type, dict(version), source.get("bundle_identifier")))
        alike[sample_type, first][row["strict_fingerprint"]] = row["id"]
        semantic, fuzzy = identity.family(sample_type, dict(version))
        if (semantic and identity.sha256(semantic)) != row["semantic_fingerprint"]:
            yield f"samples {row['id']}: semantic_fingerprint"
        if fuzzy != row["fuzzy_key"]:
            yield f"samples {row['id']}: fuzzy_key"
    for (_, first), samples in alike.items():
        expected = {identity.alike_fingerprint(first, ordinal) for ordinal in range(len(samples))}
        yield from (f"samples {sample}: strict_fingerprint" for strict, sample in samples.items() if strict not in expected)


def aggregate_hash_findings(connection, keys):
    for row in rows(connection, "SELECT * FROM observation_type_summaries"):
        if identity.sha256(identity.summary_preimage(keys.type[row["sample_type_id"]], row)) != row["aggregate_hash"]:
            yield f"observation_type_summaries {row['observation_id']} {keys.type[row['sample_type_id']]}: aggregate_hash"
    for row in rows(connection, "SELECT * FROM daily_type_aggregates"):
        source = keys.revision.get(row["source_revision_id"])
        source = source and carried(source)
        if identity.sha256(identity.bucket_preimage(keys.type[row["sample_type_id"]], row, source)) != row["aggregate_hash"]:
            yield f"daily_type_aggregates {row['observation_id']} {keys.type[row['sample_type_id']]} {row['bucket_start']}: aggregate_hash"


# Aggregates


def aggregate_findings(connection, aggregates):
    """`aggregates(connection, observation id)` gives the rows that an observation should have."""
    for observation in rows(connection, "SELECT * FROM observations ORDER BY id"):
        if observation["status"] in RUNNING:
            continue
        expected = aggregates(connection, observation["id"])
        for table, wanted in (("observation_type_summaries", expected.summaries()), ("daily_type_aggregates", expected.buckets())):
            stored = {canonical(members(row, " ".join(row.keys()))) for row in
                      rows(connection, f"SELECT * FROM {table} WHERE observation_id = ?", observation["id"])}
            wanted = {canonical(members(row, " ".join(row))) for row in wanted}
            yield from (f"{table} {text}: stored, does not follow" for text in sorted(stored - wanted))
            yield from (f"{table} {text}: follows, not stored" for text in sorted(wanted - stored))


# Rejected records, and the ends of links


class Observed:
    """What an observation asked and saw, by Spec/capture.md."""

    def __init__(self, connection):
        self.connection = connection
        self.rows = {row["id"]: row for row in rows(connection, "SELECT * FROM observations")}
        self.runs = {(row["observation_id"], row["sample_type_id"]): row for row in rows(connection, """
            SELECT run.*, mode FROM observation_type_runs AS run LEFT JOIN type_run_facts ON type_run_id = run.id""")}

    def chain(self, observation):
        return self.rows[observation]["device_chain_id"]

    def is_full_scan(self, observation, sample_type):
        run = self.runs.get((observation, sample_type))
        return run is not None and run["status"] == "completed" and run["mode"] in ("full_scan", None)

    def is_whole_export(self, observation):
        row = self.rows[observation]
        return row["trigger_reason"] == "apple_health_export" and row["status"] in ("completed", "needs_review", "partial_types")

    def holds(self, table, sample, observation):
        """Whether one of the sample's ranges in a table is open at the observation, on its chain."""
        return any(self.chain(row["first_observation_id"]) == self.chain(observation) and row["first_observation_id"] <= observation
                   and (row["last_observation_id"] or observation + 1) > observation
                   for row in rows(self.connection, f"SELECT * FROM {table} WHERE sample_id = ?", sample))

    def scans(self, sample, observation):
        sample_type, = rows(self.connection, "SELECT sample_type_id FROM samples WHERE id = ?", sample)
        return (self.is_full_scan(observation, sample_type[0]) and self.holds("sample_visibility_ranges", sample, observation)
                and not self.holds("withheld_closures", sample, observation))


def rejection_findings(connection, observed):
    found = defaultdict(list)
    for row in rows(connection, "SELECT * FROM rejected_records ORDER BY first_observation_id"):
        found[row["device_chain_id"], row["content_hash"]].append(row)
    for (chain, _), ranges in found.items():
        for row, after in zip(ranges, [*ranges[1:], None]):
            first, last, sample_type = row["first_observation_id"], row["last_observation_id"], row["sample_type_id"]
            run = observed.runs.get((first, sample_type))
            if observed.chain(first) != chain or sample_type is not None and (
                    run is None or run["status"] == "completed" and run["error_kind"] != "rejected_records"):
                yield f"rejected_records {row['id']}: first_observation_id"
            if after is not None and (last is None or last > after["first_observation_id"]):
                yield f"rejected_records {after['id']}: first_observation_id"
            if last is None:
                continue
            is_more = after is not None and after["first_observation_id"] == last and after["record_count"] > row["record_count"]
            is_read = observed.is_whole_export(last) if sample_type is None else observed.is_full_scan(last, sample_type)
            if last <= first or observed.chain(last) != chain or not (is_more or is_read):
                yield f"rejected_records {row['id']}: last_observation_id"


def link_findings(connection, observed):
    """Each end has a row of its link before it, later than the end before, and an observation that saw both samples."""
    links = defaultdict(list)
    for table, is_end in (("sample_relationships", 1), ("relationship_ends", 0)):
        for row in rows(connection, f"SELECT * FROM {table} WHERE observation_id IS NOT NULL"):
            link = observed.chain(row["observation_id"]), row["source_sample_id"], row["target_sample_id"], row["relationship_kind"]
            links[link].append((row["observation_id"], is_end, row["id"]))
    for (_, source, target, _), entries in links.items():
        is_open = False
        began = None
        for observation, is_row, row in sorted(entries):
            if not is_row and not (is_open and began < observation and observed.scans(source, observation) and observed.scans(target, observation)):
                yield f"relationship_ends {row}: observation_id"
            is_open, began = bool(is_row), observation


def fact_findings(connection):
    if rows(connection, "SELECT 1 FROM archive_metadata WHERE key = 'extension:capture_facts'"):
        observed = Observed(connection)
        yield from rejection_findings(connection, observed)
        yield from link_findings(connection, observed)


def findings(connection, aggregates):
    return [*range_findings(connection), *hash_findings(connection), *aggregate_findings(connection, aggregates), *fact_findings(connection)]
