"""What a header excludes: `manifest.scope` of Spec/bundle-checks.md."""

from .members import has_payload
from .ordering import date
from .reports import CHANGE_COUNTS, EXPORTS, LINK_CHANGES
from .shapes import types_covered
from .timestamps import read_timestamp


class Scope:
    """The scope, filter and coverage of a header."""

    def __init__(self, header):
        self.header, self.covered = header, types_covered(header)

    def excludes(self, item):
        """Whether the header rules the item out, or something in it that was learned later."""
        export, scope = self.header, self.header["scope"]
        kinds = EXPORTS[export["export_kind"]].items
        if export["export_kind"] == "recovery_bundle":
            kinds = {"record"} if scope["mode"] == "point_in_time" else {"sample", "version"}
        if item["item_kind"] not in kinds or ("sample_type" in item and item["sample_type"] not in self.covered):
            return True
        if scope.get("from_observation_id") == scope["observation_id"] and tells_of_change(item):
            return True
        if item["item_kind"] == "change":
            return self.excludes_change(item)
        if item["item_kind"] == "day":
            return self.excludes_day(item)
        is_dated_finding = item.get("finding") in ("exact_duplicate", "late_arrival")
        if has_payload(item) and not self.selects(item) and not self.is_related(item) or is_dated_finding and not self.selects_start(item):
            return True
        learned = [entry.get(name) for part, name in (
            ("visibility", "first_observation_id"), ("visibility", "last_observation_id"),
            ("events", "observation_id"), ("relationships", "observation_id"),
            ("relationships", "ended_observation_id")) for entry in item.get(part, ())]
        # At a point in time, a link that ended is not there.
        ended = [entry for entry in item.get("relationships", ()) if "ended_observation_id" in entry]
        if ended and item["item_kind"] == "record" or any(
                "observation_id" in entry and entry["ended_observation_id"] <= entry["observation_id"] for entry in ended):
            return True
        return any(observation > scope["observation_id"] for observation in learned if observation is not None)

    def selects(self, version):
        """Whether the filter selects a version; an absent start is not judged."""
        chosen = self.header["filter"]
        # Without related samples coverage says which types there are.
        if chosen.get("with_related") and version.get("sample_type") not in chosen.get("sample_types", (version.get("sample_type"),)):
            return False
        if "sources" in chosen and version.get("source", {}).get("bundle_identifier") not in chosen["sources"]:
            return False
        if "source_names" in chosen and version.get("source", {}).get("source_name_hash") not in chosen["source_names"]:
            return False
        return self.selects_start(version)

    def excludes_day(self, item):
        """Whether the filter rules out the day of an item, or its one source."""
        chosen, start, source = self.header["filter"], date(item, "day_start"), item.get("source")
        if source is not None and ("sources" in chosen and source.get("bundle_identifier") not in chosen["sources"]
                                   or "source_names" in chosen and source.get("source_name_hash") not in chosen["source_names"]):
            return True
        if "since" in chosen and (start is None or start < read_timestamp(chosen["since"])):
            return True
        return "until" in chosen and (start is None or start >= read_timestamp(chosen["until"]))

    def is_related(self, item):
        """Whether an item may be there because it is linked to another."""
        return self.header["filter"].get("with_related", False) and any(
            entry.get("end_in_scope") for entry in item.get("relationships", ()))

    def selects_start(self, holder):
        chosen, start = self.header["filter"], date(holder, "start_date")
        if start is None:
            return True
        if "until" in chosen and start >= read_timestamp(chosen["until"]):
            return False
        if "since" not in chosen or start >= read_timestamp(chosen["since"]):
            return True
        end = date(holder, "end_date")
        return chosen.get("overlapping", False) and (end is None or end > read_timestamp(chosen["since"]))

    def excludes_change(self, item):
        scope = self.header["scope"]
        kinds = (item["change"], item.get("pair", {}).get("kind"))
        if "changes" in scope and not any(kind in scope["changes"] for kind in kinds) or "labels" in scope and item.get("label") not in scope["labels"]:
            return True
        if item["change"] in LINK_CHANGES:  # which samples a filter selects, it does not say
            return False
        if not any(self.selects(item[side]) for side in ("before", "after") if side in item):
            return True
        older, newer = sorted((scope["from_observation_id"], scope["observation_id"]))
        learned = [event["observation_id"] for event in item.get("events", ()) if "observation_id" in event]
        return not all(older < observation <= newer for observation in learned)


def tells_of_change(item):
    """Whether an item says that something changed: none is there where an observation is compared with itself."""
    counts = any(item.get(name) for name in CHANGE_COUNTS)
    return item["item_kind"] in ("change", "pair") or counts or item.get("finding") in ("disappearance", "late_arrival")
