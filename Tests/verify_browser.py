#!/usr/bin/env python3
"""Opens report pages in headless Chromium: what they show is what `diff --summary` says, at every width, light, dark and on paper.

usage: verify_browser.py        (make test-browser prepares the machine)

HP_TOOLS names the folder of the tools, else .build/release. Screenshots go to .build/report-screens.
"""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS") or ROOT / ".build" / "release")
SCREENS = ROOT / ".build" / "report-screens"
WIDTHS = (360, 1280, 2560)
HOSTILE = ("</template></script><script>document.title='run'</script><img src=x onerror=document.title='run'>",
           "\u202eright to left \u05d0\u05d1", "\U0001f9ea\U0001f469\u200d\U0001f52c", "a&amp;b\"'`", "x" * 10_000)


class Tally:
    """Checks that hold, and those that do not."""

    def __init__(self):
        self.good = self.bad = 0

    def check(self, holds, what):
        self.good, self.bad = self.good + bool(holds), self.bad + (not holds)
        if not holds:
            print("FAILED %s" % what)


def run(*arguments):
    done = subprocess.run([str(TOOLS / arguments[0]), *map(str, arguments[1:])], capture_output=True, check=False)
    return done.returncode, done.stdout


def make_archive(folder):
    """Two monthly exports, captured."""
    archive = folder / "archive.sqlite"
    for month in (0, 1):
        run("hp-export", "capture", archive, "--apple-health", ROOT / "Fixtures" / "apple-health" / ("month-%d.xml" % month))
    return archive


def make_hostile(archive, folder):
    """A copy whose stored texts are hostile: names of types, of time zones and of systems."""
    hostile = folder / "hostile.sqlite"
    with sqlite3.connect(archive) as source, sqlite3.connect(hostile) as copy:
        source.backup(copy)
        names = [row[0] for row in copy.execute("SELECT id FROM sample_types ORDER BY id")]
        for row, text in zip(names, HOSTILE):
            copy.execute("UPDATE sample_types SET type_identifier = ? WHERE id = ?", (text, row))
        copy.execute("UPDATE observations SET time_zone_identifier = ?, os_version = ?, trigger_reason = ?", HOSTILE[:3])
    return hostile


def items_of(archive):
    """The items of `diff --summary`, from the lines of that export."""
    status, text = run("hp-export", "diff", archive, "--summary", "--format", "jsonl", "-o", "-", "--no-record", "--quiet")
    assert status == 0
    return [json.loads(line)["item"] for line in text.splitlines()[1:-1]]


def rows_of(page, caption):
    """The texts of the cells of the body of the table whose caption begins so."""
    return page.evaluate("caption => [...[...document.querySelectorAll('table')].find(table => table.caption.textContent.startsWith(caption)).tBodies[0].rows]"
                         ".map(row => [...row.cells].map(cell => cell.textContent))", caption)


def check_figures(tally, page, items):
    """The visible figures, held against the items."""
    everything = items[0]
    counts = page.evaluate("() => [...document.querySelectorAll('.counts b')].map(e => e.textContent)")
    tally.check(counts == [str(everything[name]) for name in
                           ("appeared_count", "disappeared_count", "representation_changed_count")], "three numbers %s" % counts)
    types = [item for item in items if "standing" in item]
    shown = [row[:6] for row in rows_of(page, "Each sample type")]
    expected = [[item["sample_type"], *(str(n) for n in (
        item["before"]["record_count"], item["after"]["record_count"], item["appeared_count"], item["disappeared_count"],
        item["representation_changed_count"]))] for item in types]
    tally.check(shown == expected, "the table of types")
    measures = [row[7:9] for row in rows_of(page, "Each sample type")]
    for item, cells in zip(types, measures):
        name = {"cumulative": "value_sum", "discrete": "value_mean"}.get(item["measure"])
        for side, cell in zip((item["before"], item["after"]), cells):
            if name and name in side:
                tally.check(abs(float(cell) - side[name]) <= 0.0005001, "%s of %s" % (name, item["sample_type"]))
    windows = [item for item in items if item.get("label", "appeared") != "appeared"]
    shown = [[row[0], *row[3:5]] for row in rows_of(page, "Windows")]
    tally.check(shown == [[item["sample_type"], str(item["before"]["record_count"]), str(item["after"]["record_count"])]
                          for item in windows[:200]], "the table of windows")


def open_page(browser, path, tally, name, **context):
    """A page that is open, with everything that it said and asked for."""
    tab = browser.new_context(**context).new_page()
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(path.as_uri())
    tally.check(not said, "%s: the console says %s" % (name, said))
    tally.check(asked == [path.as_uri()], "%s: asked for %s" % (name, asked))
    return tab


def check_forms(tally, browser, path, name):
    """Every width and scheme: nothing is wider than the screen, and axe finds nothing."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            what = "%s-%d-%s" % (name, width, scheme)
            tab = open_page(browser, path, tally, what, viewport={"width": width, "height": 900}, color_scheme=scheme,
                            reduced_motion="reduce")
            tally.check(tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "%s: overflow" % what)
            found = [violation["id"] for violation in Axe().run(tab).response["violations"]]
            tally.check(not found, "%s: axe: %s" % (what, found))
            tab.screenshot(path=SCREENS / (what + ".png"), full_page=True)
            tab.context.close()
    tab = open_page(browser, path, tally, name + "-keyboard", java_script_enabled=True)
    places = tab.evaluate("[...document.querySelectorAll('[tabindex]')].map(e => e.getBoundingClientRect().top)")
    reached = []
    for _ in places:
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("document.activeElement.getBoundingClientRect().top + scrollY"))
    tally.check(places and reached == sorted(reached) and len(set(reached)) == len(places), "%s: the order of the keyboard" % name)
    for paper in ("A4", "Letter"):
        tab.pdf(path=SCREENS / ("%s-%s.pdf" % (name, paper)), format=paper)
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 720, "height": 1000})
    tally.check(tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "%s: overflow on paper" % name)
    tab.screenshot(path=SCREENS / (name + "-print.png"), full_page=True)
    tab.context.close()


def main():
    tally = Tally()
    shutil.rmtree(SCREENS, ignore_errors=True)
    SCREENS.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="hp-browser.") as name, sync_playwright() as playwright:
        folder = pathlib.Path(name).resolve()
        archive = make_archive(folder)
        archives = {"report": archive, "hostile": make_hostile(archive, folder)}
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, source in archives.items():
            path = folder / (name + ".html")
            status, _ = run("hp-export", "report", source, "-o", path, "--no-record", "--quiet")
            tally.check(status == 0, "%s is written" % name)
            if status:
                continue
            tally.check(run("hp-verify", "bundle", path)[0] == 0, "%s verifies" % name)
            check_forms(tally, browser, path, name)
            tab = open_page(browser, path, tally, name)
            if name == "report":
                check_figures(tally, tab, items_of(source))
            tally.check(tab.title() == "What changed between two observations", "%s: nothing stored was run" % name)
            tally.check(tab.evaluate("document.querySelectorAll('script, img, link, iframe').length") == 0,
                        "%s: no element that asks or runs" % name)
            bare = open_page(browser, path, tally, name + " without script", java_script_enabled=False)
            tally.check("no longer visible" in bare.inner_text("main"), "%s: read without script" % name)
        browser.close()
    print("browser: %d passed, %d failed; screenshots in %s" % (tally.good, tally.bad, SCREENS.relative_to(ROOT)))
    return tally.bad > 0


if __name__ == "__main__":
    sys.exit(main())
