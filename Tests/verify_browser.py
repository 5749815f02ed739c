#!/usr/bin/env python3
"""Opens report pages in headless Chromium: what they show is what `diff` says, at every width, light, dark and on paper.

usage: verify_browser.py        (make test-browser prepares the machine)

HP_TOOLS names the folder of the tools, else .build/release. Screenshots go to .build/report-screens.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import browser_archives
from browser_figures import Figures

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "cli"))
from answer_months import Months, shown_name  # noqa: E402

TOOLS = pathlib.Path(os.environ.get("HP_TOOLS") or ROOT / ".build" / "release")
SCREENS = ROOT / ".build" / "report-screens"
EVERY = [(width, scheme) for width in (360, 1280, 2560) for scheme in ("light", "dark")]
# A page of each archive, and the forms in which it is looked at; of a year in each.
PAGES = {"year": EVERY, "months": EVERY[::2] + EVERY[3:4], "hostile": EVERY[::2] + EVERY[3:4], "empty": EVERY[:1], "one-observation": EVERY[3:4], "one-record": EVERY[:3],
         "many-types": [EVERY[0], EVERY[3]], "ten-years": [EVERY[1], EVERY[2]]}
# Random months in which one thing is gone or replaced: the first box says it before anybody scrolls.
LOSSES = {"lost": Months(4, ["lost"]), "part": Months(5, ["part"]), "sum": Months(6, ["sum"]), "mean": Months(7, ["mean"]), "apple": Months(8, ["apple"]),
          "both": Months(13, ["part", "sum"])}
REACHED = "a[href], summary, [tabindex]"


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


def make_archives(folder):
    """An archive for each page: two captured months, and what browser_archives writes."""
    paths = {name: folder / (name + ".sqlite") for name in PAGES}
    for month in (0, 1):
        run("hp-export", "capture", paths["months"], "--apple-health", ROOT / "Fixtures" / "apple-health" / ("month-%d.xml" % month))
    for name in ("year", "empty", "one-observation", "one-record", "many-types", "ten-years"):
        getattr(browser_archives, name.replace("-", "_"))(paths[name])
    browser_archives.hostile(paths["year"], paths["hostile"])
    return paths


def lines_of(archive):
    """Asks `diff` with options: the header and the items."""
    def ask(*options):
        status, text = run("hp-export", "diff", archive, *options, "--format", "jsonl", "-o", "-", "--no-record", "--quiet")
        assert status == 0, options
        first, *rest = text.splitlines()
        return json.loads(first)["export"], [json.loads(line)["item"] for line in rest[:-1]]
    return ask


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


def check_form(tally, browser, path, name, width, scheme):
    """Nothing is wider than the screen, nothing is cut off, axe finds nothing, and bars can be told from what is behind them."""
    what = "%s-%d-%s" % (name, width, scheme)
    tab = open_page(browser, path, tally, what, viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    tally.check(tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "%s: overflow" % what)
    wide = tab.evaluate("""() => [...document.querySelectorAll('main > *, details > *')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1
        && getComputedStyle(e).overflowX === 'visible' && getComputedStyle(e).display !== 'inline').map(e => e.tagName)""")
    tally.check(not wide, "%s: %s is wider than its place" % (what, wide[:3]))
    found = [violation["id"] for violation in Axe().run(tab).response["violations"]]
    tally.check(not found, "%s: axe: %s" % (what, found))
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    for colour in set(tab.evaluate("() => [...document.querySelectorAll('rect')].map(e => [getComputedStyle(e).fill, getComputedStyle(e).stroke].find(c => c !== 'none'))")):
        tally.check(contrast(colour, paper) >= 3, "%s: %s on %s" % (what, colour, paper))
    tab.screenshot(path=SCREENS / (what + ".png"), full_page=True)
    tab.context.close()


def contrast(one, other):
    """By WCAG 2.2, of two colours as a browser states them."""
    def luminance(colour):
        parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def check_first_loss(tally, browser, path, name, months):
    """The type, the dates and the count of the first loss stand in one box that ends above 600 px, on a phone and on a desk."""
    change = months.changes[0]
    days = sorted({record.start.date() for record in change.before})
    for width, height in ((390, 844), (1280, 900)):
        what = "%s-%d" % (name, width)
        tab = open_page(browser, path, tally, what, viewport={"width": width, "height": height})
        box = tab.locator(".card .fact").first
        text, place = box.inner_text().replace("\u2009", "").replace("\u2068", "").replace("\u2069", ""), box.bounding_box()
        tally.check(place["y"] + place["height"] <= 600, "%s: the first box ends at %d px" % (what, place["y"] + place["height"]))
        tally.check(shown_name(change.before[0].type) in text.lower() or shown_name(change.before[0].type) in text, "%s: the type in %r" % (what, text))
        tally.check(str(len(change.before)) in text, "%s: %d records in %r" % (what, len(change.before), text))
        tally.check(all(str(day.day) in text and day.strftime("%b") in text for day in (days[0], days[-1])), "%s: %s to %s in %r" % (what, days[0], days[-1], text))
        tally.check(name != "both" or len(months.changes) == 2, "%s: something is gone and something replaced" % what)
        for other in months.changes[1:]:
            words = "%d records were replaced by %d" % (len(other.before), len(other.after))
            line = tab.locator("main > p", has_text=words).first.bounding_box()
            tally.check(line is not None and line["y"] + line["height"] <= 600, "%s: %r stands at %s" % (what, words, line))
        tab.screenshot(path=SCREENS / (what + ".png"))
        tab.context.close()


def check_tables(tally, browser, path, name):
    """No table has more than seven columns, a week fits a phone, and a table that is wider than its place shows it at the edge."""
    tab = open_page(browser, path, tally, name + "-tables", viewport={"width": 390, "height": 844})
    columns = tab.evaluate("() => [...document.querySelectorAll('table')].map(table => Math.max(...[...table.rows].map(row => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0))))")
    tally.check(columns and max(columns) <= 7, "%s: columns %s" % (name, columns))
    tab.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    weeks = tab.evaluate("() => [...document.querySelectorAll('table.weeks')].map(table => [table.parentElement.scrollWidth, table.parentElement.clientWidth])")
    tally.check(all(scroll <= client for scroll, client in weeks) and (weeks or name != "year"), "%s: weeks on a phone %s" % (name, weeks[:3]))
    # Shadows at the edges of what scrolls; what scrolls with the table hides those of an edge that is reached.
    signs = tab.evaluate("""() => [...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth).map(e => getComputedStyle(e)).map(style =>
        style.backgroundAttachment + ' ' + style.backgroundImage.split('gradient').length)""")
    tally.check(set(signs) <= {"local, local, scroll, scroll 5"}, "%s: a table is cut without a sign: %s" % (name, set(signs)))
    tab.screenshot(path=SCREENS / (name + "-390-open.png"), full_page=True)
    tab.context.close()


def check_list(tally, browser, path):
    """The list of all pages fits the narrowest phone, and none of its tables scrolls."""
    tab = open_page(browser, path, tally, "list-360", viewport={"width": 360, "height": 800})
    wide = tab.evaluate("() => [...document.querySelectorAll('.wide')].map(e => e.scrollWidth - e.clientWidth)")
    tally.check(len(wide) >= 2 and max(wide) <= 0, "list: tables are wider than their place by %s" % wide)
    tab.screenshot(path=SCREENS / "list-360.png", full_page=True)
    tab.context.close()


def check_keyboard(tally, browser, path, name):
    """Tab goes to every link, fold and table that scrolls, in the order of the page; a key opens a fold; a link leads to its section."""
    tab = open_page(browser, path, tally, name + "-keyboard", viewport={"width": 1280, "height": 900})
    number = "e => [...document.querySelectorAll('%s')].filter(e => e.checkVisibility()).indexOf(e)" % REACHED
    count = tab.evaluate("[...document.querySelectorAll('%s')].filter(e => e.checkVisibility()).length" % REACHED)
    reached = []
    for _ in range(count):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("(%s)(document.activeElement)" % number))
    tally.check(reached == list(range(count)), "%s: the order of the keyboard %s" % (name, reached[:20]))
    folds = tab.query_selector_all("details:not([open]) > summary")
    if folds:
        folds[0].focus()
        tab.keyboard.press("Enter")
        tally.check(folds[0].evaluate("e => e.parentElement.open"), "%s: Enter opens a fold" % name)
    for link in tab.query_selector_all("nav a"):
        tally.check(tab.query_selector("h2" + link.get_attribute("href")) is not None, "%s: a link leads nowhere" % name)
    tab.context.close()


def check_paper(tally, browser, path, name):
    """On paper nothing is cut, and what is folded is there."""
    tab = open_page(browser, path, tally, name + "-paper", viewport={"width": 720, "height": 1000})
    for paper in ("A4", "Letter"):
        tab.pdf(path=SCREENS / ("%s-%s.pdf" % (name, paper)), format=paper)
    tab.emulate_media(media="print")
    tally.check(tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "%s: overflow on paper" % name)
    hidden = tab.evaluate("[...document.querySelectorAll('table')].filter(e => e.getBoundingClientRect().height === 0 || !e.checkVisibility({contentVisibilityAuto: true})).length")
    tally.check(hidden == 0, "%s: %d folded tables are not on paper" % (name, hidden))
    tab.screenshot(path=SCREENS / (name + "-print.png"), full_page=True)
    tab.context.close()


def check_bare(tally, browser, path, name):
    """Without script, style and network the same text is read."""
    whole = open_page(browser, path, tally, name + "-whole")
    expected = whole.evaluate("document.querySelector('main').textContent")
    title = "What one observation has" if name == "one-observation" else "What changed between two observations"
    tally.check(whole.title() == title, "%s: nothing stored was run" % name)
    tally.check(whole.evaluate("document.querySelectorAll('script, img, link, iframe, object, form, base, [style], [onclick]').length") == 0, "%s: no element that asks or runs" % name)
    whole.context.close()
    text = path.read_text("utf-8")
    bare = path.with_suffix(".bare.html")
    bare.write_text(text[:text.index("<style>")] + text[text.index("</style>") + 8:], "utf-8")
    context = browser.new_context(java_script_enabled=False, offline=True)
    tab = context.new_page()
    tab.goto(bare.as_uri())
    tally.check(tab.text_content("main") == expected and len(expected) > 1000, "%s: read without script and style" % name)
    context.close()


def main():
    tally = Tally()
    shutil.rmtree(SCREENS, ignore_errors=True)
    SCREENS.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="hp-browser.") as name, sync_playwright() as playwright:
        folder = pathlib.Path(name).resolve()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, archive in make_archives(folder).items():
            path = folder / (name + ".html")
            places = ("--from", "1", "--to", "1") if name == "one-observation" else ()
            status, _ = run("hp-export", "report", archive, *places, "-o", path, "--no-record", "--quiet")
            tally.check(status == 0, "%s is written" % name)
            if status:
                continue
            tally.check(run("hp-verify", "bundle", path)[0] == 0, "%s verifies" % name)
            tally.check(path.stat().st_size < 2_000_000, "%s has %d bytes" % (name, path.stat().st_size))
            for width, scheme in PAGES[name]:
                check_form(tally, browser, path, name, width, scheme)
            check_bare(tally, browser, path, name)
            check_tables(tally, browser, path, name)
            if name in ("year", "months", "hostile"):
                check_keyboard(tally, browser, path, name)
                check_paper(tally, browser, path, name)
            if name in ("year", "months"):
                tab = open_page(browser, path, tally, name + "-figures")
                Figures(tally, tab, lines_of(archive)).run()
                tab.context.close()
        for name, months in LOSSES.items():
            archive, path = folder / (name + ".sqlite"), folder / (name + ".html")
            for place in (0, 1):
                (folder / "export.xml").write_bytes(months.export(place))
                tally.check(run("hp-export", "capture", archive, "--apple-health", folder / "export.xml", "--quiet", "--accept-disappearances")[0] == 0, "%s is captured" % name)
            tally.check(run("hp-export", "report", archive, "-o", path, "--no-record", "--quiet")[0] == 0, "%s is written" % name)
            check_first_loss(tally, browser, path, name, months)
        tally.check(run("hp-export", "report", folder / "lost.sqlite", "--all", "-o", folder / "all", "--quiet")[0] == 0, "the list is written")
        check_list(tally, browser, folder / "all" / "index.html")
        browser.close()
    print("browser: %d passed, %d failed; screenshots in %s" % (tally.good, tally.bad, SCREENS.relative_to(ROOT)))
    return tally.bad > 0


if __name__ == "__main__":
    sys.exit(main())
