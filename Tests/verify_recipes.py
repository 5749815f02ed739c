#!/usr/bin/env python3
"""Checks the workflow and the action by their schemas, and runs the steps of the action as GitHub's runner does: a shell for
each step, inputs as expressions, files for paths, outputs and the summary. Of the workflow, each target of make exists.

The tools are those of .build/release, or of the folder that HP_TOOLS names. The last line is `N passed, N failed`.
"""

import hashlib
import os
import pathlib
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

from ruamel.yaml import YAML

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release")).resolve()
SHELL = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]  # what `shell: bash` stands for
EXPRESSION = re.compile(r"\$\{\{ *([a-z0-9_.-]+) *\}\}")
# Programs of the machine without hp-verify in any folder.
PATH = "/usr/local/bin:/usr/bin:/bin"
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def run(command, **options):
    return subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", **options)


def check_schemas():
    for schema, paths in (("vendor.github-workflows", sorted((ROOT / ".github" / "workflows").glob("*.yml"))), ("vendor.github-actions", [ROOT / "action.yml"])):
        result = run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *paths])
        check("%s: %s" % (schema, result.stdout), result.returncode == 0 and paths)
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "action.yml")
        path.write_text(text.replace("using: composite", "using: something"), encoding="utf-8")
        check("a wrong action is found", run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", path]).returncode == 1)


class Runner:
    """Runs the steps of a composite action in a folder, as a job of its own."""

    def __init__(self, folder, path):
        self.folder, self.path, self.outputs = folder, path, {}
        self.action = YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))
        self.temporary = folder / "runner"
        self.temporary.mkdir()

    def job(self, work, **inputs):
        """Status of the last step that ran, what was said, the action's outputs, and the summary."""
        for name in inputs:
            check("the action has an input %s" % name, name in self.action["inputs"])
        values = {"inputs." + name: inputs.get(name, entry["default"]) for name, entry in self.action["inputs"].items()}
        values.update({"github.action_path": str(ROOT), "github.server_url": "none://server", "github.action_repository": "owner/healthprobe"})
        said, status, path, summary = "", 0, self.path, self.temporary / "summary"
        summary.write_text("")
        for step in self.action["runs"]["steps"]:
            files = {name: self.temporary / name for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_ENV")}
            for file in files.values():
                file.write_text("")
            script = self.temporary / "step.sh"
            script.write_text(step["run"])
            check("an expression stands in no script", not EXPRESSION.search(step["run"]))
            environment = {"PATH": path, "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8", "RUNNER_TEMP": str(self.temporary), "GITHUB_STEP_SUMMARY": str(summary),
                           **{name: str(file) for name, file in files.items()}}
            environment.update({name: EXPRESSION.sub(lambda match: values[match[1]], text) for name, text in step.get("env", {}).items()})
            result = run([*SHELL, script], cwd=work, env=environment)
            said, status = said + result.stdout, result.returncode
            for line in files["GITHUB_OUTPUT"].read_text().splitlines():
                name, _, value = line.partition("=")
                values["steps.%s.outputs.%s" % (step.get("id"), name)] = value
            path = ":".join([*reversed(files["GITHUB_PATH"].read_text().splitlines()), path])
            if status:
                break
        outputs = {name: EXPRESSION.sub(lambda match: values.get(match[1], ""), entry["value"]) for name, entry in self.action["outputs"].items()}
        return status, said, outputs, summary.read_text()


def repository(folder):
    """A repository with a bundle, a table, and the archive that recorded both."""
    work = folder / "repository"
    (work / "shared" / "2024").mkdir(parents=True)
    shutil.copyfile(ROOT / "Fixtures" / "archives" / "small.sqlite", work / "health.sqlite")
    for command in (("bundle", "health.sqlite", "-o", "shared/2024/march.jsonl.zst"), ("records", "health.sqlite", "-o", "shared/all records.csv")):
        result = run([TOOLS / "hp-export", *command, "--quiet"], cwd=work)
        check("%s: %s" % (command, result.stdout), result.returncode == 0)
    return work


def check_action(folder):
    work = repository(folder)
    for name, tools, path in (("hp-verify", str(TOOLS), PATH), ("Python", "", PATH)):
        job_folder = folder / name
        job_folder.mkdir()
        runner = Runner(job_folder, path)
        status, said, outputs, summary = runner.job(work, files="shared/**/*.zst\nshared/*.csv\n", tools=tools)
        check("%s: valid files: %s" % (name, said), status == 0 and outputs == {"checked": "2", "invalid": "0"})
        check("%s: the summary: %s" % (name, summary), "march.jsonl.zst` | valid |" in summary and "all records.csv` | valid |" in summary)
        damaged = work / "shared" / "2024" / "april.jsonl.zst"
        data = bytearray((work / "shared" / "2024" / "march.jsonl.zst").read_bytes())
        data[len(data) // 2] ^= 0xFF
        damaged.write_bytes(data)
        status, said, outputs, summary = runner.job(work, files="shared/**/*.zst", tools=tools)
        check("%s: a damaged file: %s" % (name, said), status == 1 and outputs == {"checked": "2", "invalid": "1"})
        check("%s: the summary names it: %s" % (name, summary), "april.jsonl.zst` | **invalid** |" in summary)
        damaged.unlink()
        status, said, outputs, summary = runner.job(work, files="none/*.zst", tools=tools)
        check("%s: a pattern without a file: %s" % (name, said), status == 2 and "no file is named none/*.zst" in said)
        status, said, outputs, summary = runner.job(work, tools=tools)
        check("%s: nothing to do: %s" % (name, said), status == 2)
        status, said, outputs, summary = runner.job(work, archives="health.sqlite", tools=tools)
        if tools:
            check("exports are reproduced: %s" % said, status == 0 and outputs == {"checked": "1", "invalid": "0"})
        else:
            check("Python reproduces nothing: %s" % said, status == 2 and "only it reproduces" in said)


def release(folder):
    """A folder with the archive of a release, and its SHA-256."""
    name = "healthprobe-9.8.7-linux-" + platform.machine()
    (folder / name / "bin").mkdir(parents=True)
    # Not the program itself: in debug builds it finds its libraries by where it is.
    (folder / name / "bin" / "hp-verify").write_text('#!/bin/sh\nexec %s/hp-verify "$@"\n' % TOOLS)
    (folder / name / "bin" / "hp-verify").chmod(0o755)
    archive = folder / (name + ".tar.gz")
    check("the archive is made", run(["tar", "-czf", archive, "-C", folder, name]).returncode == 0)
    return "file://%s" % folder, hashlib.sha256(archive.read_bytes()).hexdigest()


def cases_of(path):
    return [(case.get("name").split(": ")[0], [each.tag for each in case]) for case in ElementTree.parse(path).getroot().iter("testcase")]


def check_release(folder):
    """The action with a release, a report and an archive to compare with."""
    folder.mkdir()
    work, (place, digest) = repository(folder), release(folder / "place")
    runner = Runner(folder, PATH)
    options = {"version": "9.8.7", "place": place}
    status, said, _, _ = runner.job(work, files="shared/**/*.zst", sha256="0" * 64, **options)
    check("another SHA-256: %s" % said, status == 2 and "SHA-256 is %s, not" % digest in said)
    status, said, outputs, _ = runner.job(work, files="shared/**/*.zst\nshared/*.csv", archives="health.sqlite", sha256=digest, junit="out.xml",
                                          **{"compare-with": "health.sqlite"}, **options)
    check("a release: %s" % said, status == 0 and outputs == {"checked": "3", "invalid": "0"} and "matches the archive" in said)
    found = cases_of(work / "out.xml")
    check("the report has each file and export: %s" % found, [name for name, _ in found] ==
          ["shared/2024/march.jsonl.zst", "shared/all records.csv", "health.sqlite", "health.sqlite"] and not any("failure" in held for _, held in found))
    connection = sqlite3.connect(work / "health.sqlite")
    connection.execute("UPDATE sample_versions SET numeric_value = numeric_value + 1 WHERE numeric_value IS NOT NULL")
    connection.commit()
    connection.close()
    status, said, outputs, _ = runner.job(work, files="shared/**/*.zst", sha256=digest, junit="out.xml", **{"compare-with": "health.sqlite"}, **options)
    check("an archive that differs: %s" % said, status == 1 and outputs["invalid"] == "1")
    check("the report says so: %s" % cases_of(work / "out.xml"), cases_of(work / "out.xml") == [("shared/2024/march.jsonl.zst", ["failure"])])


def check_gitlab(folder):
    """The template by its schema, and its commands, with the packages of this machine."""
    path = ROOT / "docs" / "ci" / "gitlab.yml"
    result = run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.gitlab-ci", path])
    check("the template: %s" % result.stdout, result.returncode == 0)
    job = YAML(typ="safe").load(path.read_text(encoding="utf-8"))["verify-healthprobe"]
    folder.mkdir()
    work, (place, digest) = repository(folder), release(folder / "place")
    shutil.copyfile(work / "shared" / "2024" / "march.jsonl.zst", work / "shared" / "march.jsonl.zst")
    variables = {"HEALTHPROBE_VERSION": "9.8.7", "HEALTHPROBE_SHA256": digest, "HEALTHPROBE_PLACE": place}
    check("its variables", set(job["variables"]) == set(variables))
    commands = [line for line in job["before_script"] + job["script"] if not line.startswith("apt-get ")]
    check("one command is about packages", len(commands) == len(job["before_script"] + job["script"]) - 1)
    text = "\n".join(commands).replace("linux-x86_64", "linux-" + platform.machine())
    result = run([*SHELL, "-c", text], cwd=work, env={"PATH": PATH, **variables})
    check("its commands: %s" % result.stdout, result.returncode == 0)
    check("its report", cases_of(work / job["artifacts"]["reports"]["junit"]) == [("shared/march.jsonl.zst", [])])
    result = run([*SHELL, "-c", text], cwd=work, env={"PATH": PATH, **variables, "HEALTHPROBE_SHA256": "0" * 64})
    check("another SHA-256 ends the job", result.returncode != 0)


def check_workflow():
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        workflow = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        scripts = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
        targets = {word for script in scripts for line in script.splitlines() if line.startswith("make ") for word in line.split()[1:] if "=" not in word}
        check("%s uses the one list, and make" % path.name, ".ci/run" in scripts and {"python", "deb"} <= targets)
        for target in targets:
            check("make has %s" % target, run(["make", "-n", target], cwd=ROOT).returncode == 0)
        for script in scripts:
            check("a step is shell", run(["bash", "-n", "-c", script]).returncode == 0)
        check("%s states what it may do" % path.name, workflow["permissions"] == {"contents": "read"})


def main():
    check_schemas()
    check_workflow()
    with tempfile.TemporaryDirectory(prefix="hp-recipes.") as folder:
        check_action(pathlib.Path(folder))
        check_release(pathlib.Path(folder, "release"))
        check_gitlab(pathlib.Path(folder, "gitlab"))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
