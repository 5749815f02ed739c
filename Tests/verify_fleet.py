#!/usr/bin/env python3
"""Verifies 2,000 small bundles with Spark on a cluster of two worker processes, ten of them with a planted fault, and kills
one worker in the middle: exactly the planted faults are found. Items are read as one machine reads them.

usage: verify_fleet.py [--bundles N] [--records N] [--measured N]

The times for one and two workers are those of the first N bundles (300).

It needs Java 17, and the packages of Tests/fleet-requirements.txt. `make test-fleet` gets both.
The last line is `N passed, N failed`. Exit status 1 when anything fails.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pyspark
import zstandard
from pyspark.sql import SparkSession

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "Tests" / "reference"), str(ROOT / "Benchmarks")]
sys.dont_write_bytecode = True

import healthprobe  # noqa: E402
import healthprobe.spark  # noqa: E402
from healthprobe.readers import for_arrow  # noqa: E402
from healthprobe.verifier.canonical import canonical  # noqa: E402

SPARK = pathlib.Path(pyspark.__file__).parent
PATIENCE = 900
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what, flush=True)


# The fleet


def lines_of(number, records):
    """The lines of a bundle of made-up records: those of the example with other values, by the rules of Spec/hashes.md."""
    header, item, manifest = [json.loads(line) for line in (ROOT / "Spec" / "examples" / "minimal.jsonl").read_bytes().splitlines()]
    chance, lines = random.Random(number), [canonical(header)]
    total = hashlib.sha256(b'hp:v2:export_manifest:' + canonical(header)[:-1] + b',"items":[')
    for index in range(records):
        record = {**item["item"], "strict_fingerprint": "%064x" % (number << 32 | index), "numeric_value": chance.randrange(40, 180)}
        digest = hashlib.sha256(b"hp:v2:export_item:" + canonical(record)).hexdigest()
        lines.append(canonical({"item": record, "item_hash": digest}))
        total.update(b'%s"%s"' % (b"," if index else b"", digest.encode()))
    totals = multiplied(manifest["totals"], records)
    total.update(b'],"totals":' + canonical(totals) + b"}")
    return [*lines, canonical({"manifest_hash": total.hexdigest(), "totals": totals})]


def multiplied(value, count):
    """Totals of so many records that are alike."""
    if isinstance(value, dict):
        return {name: multiplied(each, count) for name, each in value.items()}
    return [multiplied(each, count) for each in value] if isinstance(value, list) else value * count if isinstance(value, int) else value


def change(code, lines):
    """The lines with a fault that is found as this code."""
    lines = list(lines)
    if code == "item.hash":
        lines[1] = re.sub(rb'"numeric_value":[0-9]+', b'"numeric_value":999', lines[1])
    elif code == "canonical.white_space":
        lines[1] = b"{ " + lines[1][1:]
    elif code == "shape.member_unknown":
        lines[1] = lines[1].replace(b'{"item":{', b'{"item":{"a":1,')
    elif code == "line.manifest_missing":
        lines.pop()
    elif code == "order.items":
        lines[1], lines[2] = lines[2], lines[1]
    elif code == "manifest.totals":
        lines.pop(1)
    elif code == "manifest.hash":
        lines[-1] = re.sub(rb'"manifest_hash":"[0-9a-f]{64}"', b'"manifest_hash":"%s"' % (b"0" * 64), lines[-1])
    elif code == "line.header_missing":
        lines.pop(0)
    return lines


def packed(lines):
    return zstandard.ZstdCompressor(level=1, write_checksum=True).compress(b"\n".join(lines) + b"\n")


PLANTED = ("item.hash", "canonical.white_space", "shape.member_unknown", "line.manifest_missing", "order.items", "manifest.totals",
           "manifest.hash", "line.header_missing", "container.checksum", "container.truncated")


def write_fleet(folder, count, records):
    """Bundles as lines, the damaged containers compressed, in folders of a hundred. The path and code of each planted fault."""
    planted = {number: code for number, code in zip(random.Random(7).sample(range(count), len(PLANTED)), PLANTED)}
    found = {}
    for number in range(count):
        code = planted.get(number, "")
        lines = change(code, lines_of(number, records))
        path = folder / ("site-%02d" % (number // 100)) / ("bundle-%04d.jsonl" % number)
        data = b"\n".join(lines) + b"\n"
        if code.startswith("container."):
            path = path.with_name(path.name + ".zst")
            data = packed(lines)
            data = data[:-20] if code == "container.truncated" else data[:-1] + bytes([data[-1] ^ 1])
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        if code:
            found[path.name] = code
    return found


# The cluster


class Cluster:
    """A master and workers of Spark, each a process of its own on this machine, with one core."""

    def __init__(self, folder, workers):
        self.folder, self.processes = folder, []
        self.port = free_port()
        self.start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        self.wait_for("master", "I have been elected leader")
        self.workers = [self.start("worker-%d" % number, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0",
                                   "--cores", "1", "--memory", "1g", "--work-dir", str(folder / ("work-%d" % number)), self.url) for number in range(workers)]
        for number in range(workers):
            self.wait_for("worker-%d" % number, "Successfully registered with master")

    @property
    def url(self):
        return "spark://127.0.0.1:%d" % self.port

    def start(self, name, *arguments):
        log = open(self.folder / (name + ".log"), "wb")
        environment = {**os.environ, "SPARK_HOME": str(SPARK), "SPARK_DAEMON_MEMORY": "512m", "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        process = subprocess.Popen([str(SPARK / "bin" / "spark-class"), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True)
        self.processes.append(process)
        return process

    def wait_for(self, name, text):
        end = time.monotonic() + 60
        while text.encode() not in (self.folder / (name + ".log")).read_bytes():
            if time.monotonic() > end:
                raise RuntimeError("%s does not say %r" % (name, text))
            time.sleep(0.1)

    def kill_worker(self):
        """Ends a worker, its executor and the Python under it, as a machine that is gone: without a word to anybody."""
        worker = self.workers.pop()
        children = descendants(worker.pid)
        for process in (worker.pid, *children):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return len(children)

    def stop(self):
        for process in self.processes:
            for each in (*descendants(process.pid), process.pid):
                try:
                    os.kill(each, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()


def descendants(process):
    """The processes below a process (proc(5))."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found, level = [], {process}
    while level:
        level = {child for child, parent in parents.items() if parent in level}
        found += level
    return found


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def session_on(cluster):
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    os.environ.pop("PYTHONPATH", None)
    session = (SparkSession.builder.master(cluster.url).appName("fleet").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.driver.host", "127.0.0.1")
               .config("spark.executor.memory", "768m").config("spark.driver.memory", "1g").config("spark.network.timeout", "60s")
               .config("spark.executor.heartbeatInterval", "5s").config("spark.log.level", "ERROR").config("spark.task.maxFailures", "8")
               .config("spark.local.dir", str(cluster.folder / "local")).getOrCreate())
    healthprobe.spark.ship(session)
    return session


def done(session):
    """How many tasks of the stages that run have ended."""
    tracker = session.sparkContext.statusTracker()
    stages = (tracker.getStageInfo(number) for number in tracker.getActiveStageIds())
    return sum(stage.numCompletedTasks for stage in stages if stage)


def verified(session, cluster, folders, kill_after=None):
    """What is found, how long it took, and whether a worker was killed."""
    killed, over = [], threading.Event()

    def watch():
        while not over.wait(0.05):
            if done(session) >= kill_after:
                killed.append((done(session), cluster.kill_worker()))
                return
    watcher = threading.Thread(target=watch) if kill_after else None
    begin = time.monotonic()
    if watcher:
        watcher.start()
    rows = healthprobe.spark.verify(session, list(map(str, folders))).collect()
    seconds = time.monotonic() - begin
    over.set()
    if watcher:
        watcher.join()
    return rows, seconds, killed


def check_rows(name, rows, planted, count):
    bundles = [row for row in rows if row.code is None]
    check("%s: %d bundles" % (name, len(bundles)), len(bundles) == count == len({row.path for row in bundles}))
    bad = {row.path.rpartition("/")[2] for row in bundles if row.result != "ok"}
    check("%s: exactly the planted ones are invalid: %s" % (name, sorted(bad ^ planted.keys())), bad == planted.keys())
    codes = {}
    for row in rows:
        if row.code is not None:
            codes.setdefault(row.path.rpartition("/")[2], set()).add(row.code)
    check("%s: only they have findings" % name, codes.keys() == planted.keys())
    for path, code in planted.items():
        check("%s: %s has %s: %s" % (name, path, code, codes.get(path)), code in codes.get(path, ()))


def check_items(session, paths, records):
    """Items come with the columns of the specification, the same as this machine reads."""
    frame = healthprobe.spark.read(session, list(map(str, paths)))
    check("the columns", frame.columns == ["path", *for_arrow.schema().names])
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    for path in paths:
        of = [filled({**row, "path": None}) for row in rows if row["path"].endswith("/" + path.name)]
        check("the rows of %s" % path.name, of == list(map(filled, for_arrow.read_hp(path).to_pylist())) and len(of) == records)


def filled(value):
    """A value without what is absent: Spark has the columns of all kinds of items, other readers those of the file."""
    if isinstance(value, dict):
        return {name: filled(each) for name, each in value.items() if each is not None}
    return [filled(each) for each in value] if isinstance(value, list) else value


def run(name, workers, kills, folders, planted, options, scratch):
    """One cluster, and what it says of all bundles of some folders."""
    work = pathlib.Path(scratch, name.replace(" ", "-"))
    work.mkdir()
    paths = [path for folder in folders for path in sorted(folder.glob("bundle-*"))]
    expected = {path.name: planted[path.name] for path in paths if path.name in planted}
    cluster = Cluster(work, workers)
    try:
        session = session_on(cluster)
        verified(session, cluster, folders[:1])  # the first task of a worker starts Python
        rows, seconds, killed = verified(session, cluster, folders, len(paths) // 2 if kills else None)
        print("%s: %d bundles in %.1f s, %.1f a second%s" % (name, len(paths), seconds, len(paths) / seconds, "".join(
            "; killed after %d bundles, with %d processes below it" % each for each in killed)), flush=True)
        check_rows(name, rows, expected, len(paths))
        check("%s: a worker was killed before the end: %s" % (name, killed), len(killed) == kills and all(each[0] < len(paths) and each[1] for each in killed))
        if workers == 1:
            check_items(session, [path for path in paths if path.name not in planted][:20], options.records)
        session.stop()
    finally:
        cluster.stop()


def main():
    parser = argparse.ArgumentParser(description="Verify a fleet of bundles with Spark.")
    parser.add_argument("--bundles", type=int, default=2000)
    parser.add_argument("--records", type=int, default=20)
    parser.add_argument("--measured", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hp-fleet.") as scratch:
        folder = pathlib.Path(scratch, "fleet")
        folder.mkdir()
        planted = write_fleet(folder, options.bundles, options.records)
        one = next(path for path in sorted(folder.rglob("*.jsonl")) if path.name not in planted)
        check("a bundle of the fleet is valid: %s" % healthprobe.verify(one)["findings"][:2], healthprobe.verify(one)["result"] == "ok")
        size = sum(path.stat().st_size for path in folder.rglob("bundle-*"))
        print("%d bundles of %d records, %d KiB" % (options.bundles, options.records, size >> 10), flush=True)
        part = sorted(folder.iterdir())[:max(1, options.measured // 100)]
        run("one worker", 1, False, part, planted, options, scratch)
        run("two workers", 2, False, part, planted, options, scratch)
        run("two workers, one killed", 2, True, sorted(folder.iterdir()), planted, options, scratch)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
