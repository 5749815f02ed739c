"""What a hostile Apple Health export or feed costs: time and memory have bounds, limits are said, signals are heard."""

import os
import resource
import signal
import subprocess
import time
import unittest

import hostile_exports as hostile
from capture_support import CaptureCase, feed, observation, sample, start_with_input, type_run
from support import ENVIRONMENT, Run, size_of_a_hole, tool

# Bytes of address space: what an ordinary export is captured within.
MEMORY = 400 << 20
# Seconds: a hang or quadratic work takes far longer, however slow the machine.
LONG = 60


class HostileCase(CaptureCase):
    """A capture that is watched."""

    def watched(self, *arguments, data=b""):
        """Captures under a limit of time and one of memory."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        words = [tool("hp-export"), "capture", self.archive, "--secret", self.secret, "--quiet", *arguments]
        return Run(subprocess.run([os.fspath(word) for word in words], input=data, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=LONG, preexec_fn=limit))

    def export(self, data):
        return self.watched("--apple-health", self.written(data, "export.zip"))

    def assert_limit(self, run, *words):
        """The capture was refused, and nothing of an archive is left."""
        self.assert_refused(run, *words)
        self.assertEqual([name for name in self.names() if b"archive" in name], [])


class Names(HostileCase):
    """Names of elements and attributes."""

    def test_one_long_name_again_and_again_is_cut(self):
        run = self.export(hostile.repeated_attributes(length=32 << 10))
        self.assertEqual(run.status, 1, run)
        self.assertIn("too_large", run.err)

    def test_many_tags_with_one_name_again_and_again(self):
        run = self.export(hostile.repeated_attributes(length=250, tags=300))
        self.assertEqual(run.status, 1, run)
        self.assertIn("300 records rejected", run.err)

    def test_different_names_of_attributes_have_a_limit(self):
        run = self.export(hostile.attribute_names(400_000))
        self.assert_limit(run, "export.zip: line ", "more than 4096 different names")

    def test_renamed_attributes_are_names_too(self):
        parts = ["<Record %s/>\n" % " ".join('n%d="%d"' % (tag, number) for number in range(200)) for tag in range(40)]
        self.assert_limit(self.export(hostile.zipped(hostile.document(*parts))), "more than 4096 different names")

    def test_different_names_of_elements_have_a_limit(self):
        run = self.export(hostile.element_names(1_000_000))
        self.assert_limit(run, "export.zip: line ", "more than 4096 different names")

    def test_different_names_of_tags_that_are_cut_have_a_limit(self):
        self.assert_limit(self.export(hostile.cut_names(8000)), "more than 4096 different names")

    def test_4096_names_are_an_export(self):
        run = self.export(hostile.attribute_names(4095))  # The document has `locale` too.
        self.assertEqual(run.status, 1, run)
        self.assertIn("21 records rejected: missing_attribute", run.err)

    def test_one_name_more_is_none(self):
        self.assert_limit(self.export(hostile.attribute_names(4096)), "export.zip: line ", "more than 4096 different names")

    def test_a_long_name_of_an_element_is_not_well_formed(self):
        parts = hostile.document(hostile.RECORD, "<%s/>" % ("n" * 257), hostile.RECORD)
        run = self.export(hostile.zipped(parts))
        self.assertEqual(run.status, 1, run)
        self.assertIn("1 record rejected: not_well_formed", run.err)
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(2,)])

    def test_an_observation_has_at_most_4096_sample_types(self):
        records = ['<Record type="com.example.t%d" unit="x" value="1" %s/>\n' % (number, hostile.DATES) for number in range(4097)]
        self.assert_limit(self.export(hostile.zipped(hostile.document(*records))), "more than 4096 sample types")
        self.assert_good(self.export(hostile.zipped(hostile.document(*records[:4096]))))
        self.assertEqual(self.rows("SELECT status, count(*) FROM observation_type_runs GROUP BY 1"), [("completed", 4096)])


class Zips(HostileCase):
    """Members and directories of a zip."""

    def test_members_that_overlap_are_refused(self):
        self.assert_limit(self.export(hostile.overlapping(500, 64)), "export.zip: ", "overlap")

    def test_two_entries_of_one_member_are_refused(self):
        data, size, checksum = hostile.deflated("".join(hostile.document(hostile.RECORD * 200)).encode())
        front = hostile.local(b"export.xml", data, size, checksum)
        directory = hostile.entry(b"a.xml", len(data), size, checksum) * 2
        self.assert_limit(self.export(front + directory + hostile.end(2, len(directory), len(front))), "overlap")

    def test_many_ends_are_refused(self):
        self.assert_limit(self.export(hostile.many_ends(2900, 2000)), "export.zip: ", "more than 16 ends")

    def test_too_many_members_are_refused(self):
        self.assert_limit(self.export(hostile.many_members(25_001)), "export.zip: ", "more than 25000 members")

    def test_a_count_that_only_the_large_end_has_is_read(self):
        run = self.export(hostile.many_members(3))
        self.assertEqual(run.status, 0, run)
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(1,)])

    def test_a_member_that_unpacks_to_far_more_than_its_size_is_refused(self):
        run = self.export(hostile.long_text(800))
        self.assert_limit(run, "export.zip: apple_health_export/export.xml: unpacks to more than 200 times")

    def test_a_member_that_packs_well_is_read(self):
        run = self.export(hostile.long_text(200, before=hostile.RECORD))
        self.assertEqual(run.status, 0, run)
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(1,)])

    def test_a_text_that_does_not_say_what_it_is_is_no_export(self):
        self.assert_limit(self.export(hostile.long_prolog(240)), "no Apple Health export in this zip")

    def test_an_export_says_its_date_early(self):
        data = hostile.zipped(["<HealthData>", *[b" " * (1 << 20)] * 40, *hostile.document(hostile.RECORD)])
        self.assert_limit(self.export(data), "export.zip: no ExportDate in its first 16 MiB")

    def test_an_encrypted_member_is_named(self):
        self.assert_limit(self.export(hostile.encrypted()), "export.zip: apple_health_export/export.xml: is encrypted")

    def test_a_member_of_another_method_is_named_as_text(self):
        run = self.export(hostile.other_method("a\n\u202e.xml"))
        self.assert_limit(run, "is packed by another method than deflate")
        self.assertNotIn("\u202e", run.err)

    def test_members_that_leave_the_folder_are_only_read(self):
        before = sorted(os.listdir("/tmp"))
        run = self.export(hostile.zipped(hostile.document(hostile.RECORD), "../export.xml"))
        self.assertEqual(run.status, 0, run)
        self.assertFalse((self.folder.parent / "export.xml").exists(), before)


class Elements(HostileCase):
    """Elements with much in them."""

    def test_a_correlation_with_many_members_is_too_large(self):
        inner = hostile.RECORD * 100_000
        parts = hostile.document('<Correlation type="C" %s>' % hostile.DATES, inner, "</Correlation>", hostile.RECORD)
        run = self.export(hostile.zipped(parts))
        self.assertEqual(run.status, 1, run)
        self.assertIn("1 record rejected: too_large", run.err)
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(1,)])

    def test_a_workout_with_many_routes_is_too_large(self):
        inner = "<WorkoutRoute %s/>" % hostile.DATES * 50_000
        parts = hostile.document("<Workout %s>" % hostile.DATES, inner, "</Workout>", hostile.RECORD)
        run = self.export(hostile.zipped(parts))
        self.assertEqual(run.status, 1, run)
        self.assertIn("too_large", run.err)

    def test_a_record_with_many_entries_is_too_large(self):
        inner = "".join('<MetadataEntry key="%x" value=""/>' % number for number in range(400_000))
        parts = hostile.document('<Record type="T" %s>' % hostile.DATES, inner, "</Record>", hostile.RECORD)
        run = self.export(hostile.zipped(parts))
        self.assertEqual(run.status, 1, run)
        self.assertIn("1 record rejected: too_large", run.err)

    def test_a_long_tag_through_a_pipe_is_not_read_again_and_again(self):
        tag = '<Record type="T" unit="m" %s value="%s"/>' % (hostile.DATES, "0" * (60 << 20))
        run = self.watched("--apple-health", "-", data="".join(hostile.document(tag)).encode())
        self.assertEqual(run.status, 1, run)
        self.assertIn("1 record rejected: too_large", run.err)

    def test_deep_elements_are_one_broken_element(self):
        run = self.export(hostile.zipped(hostile.document(hostile.RECORD, "<a>" * 1_000_000, hostile.RECORD)))
        self.assertEqual(run.status, 1, run)
        self.assertIn("1 record rejected: not_well_formed", run.err)

    def test_what_is_looked_for_in_vain_costs_little(self):
        """Elements without an end, and end tags that fit nothing: the text is not read again and again."""
        for parts in (["<Record type='T' %s>" % hostile.DATES] * 10_000, ["<a>" * 63 + "</x>" * 63] * 100, ["<Record><a>" + "</x>" * 20_000 + "</a></Record>"],
                      ["<Record type=\"T\"%s" % (" a" * 20)] * 10_000, ["<Correlation>", hostile.RECORD * 10_000, "<Workout>", hostile.RECORD * 10_000]):
            with self.subTest(parts[0][:40]):
                self.archive.unlink(missing_ok=True)
                self.assertEqual(self.export(hostile.zipped(hostile.document(hostile.RECORD, *parts, hostile.RECORD))).status, 1)


class Stopping(HostileCase):
    """A signal is heard wherever the tool waits or reads."""

    def stopped(self, *arguments, data=b"", number=signal.SIGTERM, delay=1.0):
        """Sends a signal to a capture whose input goes on and on; how it ended."""
        process = start_with_input("capture", self.archive, "--secret", self.secret, "--quiet", *arguments)
        try:
            if data:
                process.stdin.write(data)
                process.stdin.flush()
            time.sleep(delay)
            self.assertIsNone(process.poll(), "ended by itself")
            process.send_signal(number)
            status = process.wait(LONG)
        finally:
            process.kill()
            _, err = process.communicate()
        self.assertEqual(status, 128 + number, err)

    def left(self):
        return [name for name in self.names() if b"archive" in name or b"partial" in name]

    def test_while_nothing_comes_through_a_pipe(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.stopped("--apple-health", "-", number=number)
            self.assertEqual(self.left(), [])

    def test_while_a_pipe_holds_half_an_export(self):
        self.stopped("--apple-health", "-", data=(hostile.HEAD + hostile.RECORD * 10).encode())

    def test_while_a_zip_comes_through_a_pipe(self):
        self.stopped("--apple-health", "-", data=b"PK\3\4" + bytes(1000))
        self.assertEqual(self.left(), [])

    def test_while_a_feed_waits(self):
        self.stopped("--feed", "-")
        lines = observation(1, type_run([sample(1)]))[:4]
        self.stopped("--feed", "-", data=feed(lines))
        self.assertEqual(self.rows("SELECT status FROM observations"), [("running",)])

    def test_while_text_without_a_record_is_read(self):
        path = self.folder / "export.xml"
        with open(path, "wb") as file:
            file.write(hostile.HEAD.encode())
            # A hole: blanks would take the disk; control characters are repaired and read like any text.
            file.truncate(size_of_a_hole(1 << 40))
        self.stopped("--apple-health", path)
        self.assertEqual([name for name in self.left() if b"partial" in name], [])


if __name__ == "__main__":
    unittest.main()
