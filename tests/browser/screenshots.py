"""Write a picture of every page, light, dark and 390 px wide, to the ignored folder screenshots/ here.

    python tests/browser/screenshots.py [page ...] [--file ratings.csv]

With `--file` the file is uploaded first, accepting everything that is proposed, and its pages are shown; `reading` is
the Data page while it waits to be saved.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from data.samples import SAMPLES
from tests.browser.conftest import FLAGS, Visitor, acting, chromium_path, new_visitor, settle, start_server
from tests.browser.paths import choose_file, unfold, upload

OUT = Path(__file__).parent / "screenshots"
PAGES = {
    "start": "/",
    "overview": "/overview?d=sample-summaries",
    "data": "/data",
    "distributions": "/distributions",
    "agreement": "/agreement",
    "crowd_vs_lab": "/crowd-vs-lab",
    "standing_in": "/standing-in?stand_in_measure=focus&fewest_shared=15&stand_in_rater=crowd+35&rescaled=true",
    "standing_in_choices": "/standing-in?d=sample-comparisons",
    "repetitions": "/repetitions",
    "collect": "/planning?d=sample-summaries",
    "judge_again": "/planning?d=sample-assessors",
    "planning": "/planning?d=sample-summaries&plan=Do+systems+differ%3F",
    "precise": "/planning?d=sample-summaries&plan=How+precise%3F",
    "budget": "/planning?d=sample-summaries&plan=Best+use+of+a+budget",
    "enough": "/planning?d=sample-summaries&plan=Are+ratings+enough%3F",
    "preferred": "/planning?d=sample-comparisons&plan=Is+one+preferred%3F",
    "votes": "/planning?d=sample-comparisons&plan=Are+labels+right%3F",
    "assessors": "/assessors?d=sample-assessors",
    "exclusion": "/assessors?d=sample-assessors&question=What+if+they+go&without=E&without=C",
    "variance": "/assessors?d=sample-summaries&question=Where+the+variance+comes+from",
    "metrics": "/metrics?d=sample-assessors&without=E",
    "pyramid": "/pyramid?d=sample-assessors",
    "training": "/training?d=sample-assessors&without=E",
    "systems": "/systems?d=sample-assessors",
    "items": "/items?candidate=lab&reference=crowd&item_measure=non-redundancy",
    "item": "/items?item=summary+17",
    "filtered": "/distributions?only_item=summary+17&only_item=summary+18",
    "workers": "/workers?d=sample-comparisons",
    "wins": "/systems?d=sample-comparisons&about=Any+two+systems",
    "scale": "/systems?d=sample-comparisons&about=All+systems",
    "with_others": "/assessors?d=sample-summaries&question=Who+agrees+with+the+others",
    "choices_overview": "/overview?d=sample-comparisons",
    "crowd_sets": "/systems?d=sample-label-sets",
    "labelers": "/workers?d=sample-label-sets",
    "votes_overview": "/overview?d=sample-votes",
    "codecs": "/systems?d=sample-votes",
    "rankings_overview": "/overview?d=sample-rankings",
    "ranked": "/systems?d=sample-rankings",
    "rankers": "/workers?d=sample-rankings",
    "choices_repetitions": "/repetitions?d=sample-comparisons",
    "comprehension": "/comprehension?d=sample-comprehension",
    "authors": "/comprehension?d=sample-comprehension&about=Author+by+author",
    "length": "/comprehension?d=sample-comprehension&about=Summary+length",
    "judges": "/comprehension?d=sample-comprehension&about=Judges",
    "machine": "/comprehension?d=sample-comprehension&about=Machine+summaries",
    "report": "/report?d=sample-comprehension&report_title=Fifty+stories",
    "relevance": "/relevance?d=sample-relevance",
    "kappa": "/relevance?d=sample-relevance&about=Do+raters+agree",
    "anova": "/relevance?d=sample-relevance&about=Significant+differences",
    "relevance_metrics": "/relevance?d=sample-relevance&about=Automatic+metrics",
    "partitions": "/relevance?d=sample-relevance&about=Partitions",
    "order": "/relevance?d=sample-relevance&about=Order+of+presentation",
    "templates": "/data",
}
"""Addresses; with a file of one's own its data set takes the sample's place."""
OPENED = {
    "share": ("/repetitions", "Share"),
    "own_datasets": ("/data", "More"),
    "delete": ("/data", "More, Delete"),
}
"""Pages as the owner of a data set sees them, and the buttons that are pressed there first."""
READ = ("values", "joining")
"""The Data page while it reads a file whose ratings are words, and one that is added to the sample's copy."""
SHAPES = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {
        "color_scheme": "light",
        "viewport": {"width": 390, "height": 844},
        "user_agent": "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36",
    },
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "pages", nargs="*", choices=[*PAGES, *OPENED, *READ, "reading", []], help="all when none is named"
    )
    arguments.add_argument("--file", type=Path, help="a ratings file to upload first")
    arguments.add_argument("--shapes", nargs="*", default=list(SHAPES), choices=list(SHAPES))
    chosen = arguments.parse_args()
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = start_server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        key = upload(new_visitor(browser, server), chosen.file) if chosen.file else ""
        for shape in chosen.shapes:
            visitor = new_visitor(browser, server, **SHAPES[shape])
            wanted = chosen.pages or [*PAGES, *OPENED, *READ, "reading"]
            for name in [name for name in wanted if name in PAGES]:
                page = visitor.open(_address(PAGES[name], key))
                settle(page)
                stem = f"{chosen.file.stem}-{name}" if chosen.file else name
                _whole_page(page, OUT / f"{stem}-{shape}.png")
            if chosen.file and "reading" in wanted:
                choose_file(visitor, chosen.file)
                settle(visitor.page)
                _whole_page(visitor.page, OUT / f"{chosen.file.stem}-reading-{shape}.png")
            owning = set(wanted) & {*OPENED, "joining"}
            own = _own(visitor, _some_file(Path(folder))) if owning else ""
            for name in [name for name in wanted if name in OPENED]:
                path, buttons = OPENED[name]
                page = visitor.open(f"{path}?d={own}")
                for button in buttons.split(", "):
                    page.get_by_role("button", name=button).first.click()
                    settle(page)
                page.screenshot(path=OUT / f"{name}-{shape}.png")
            if "values" in wanted:
                choose_file(visitor, _words(Path(folder)))
                _whole_page(visitor.page, OUT / f"values-{shape}.png")
            if "joining" in wanted:
                _join(visitor, own, _numbers(Path(folder)))
                _whole_page(visitor.page, OUT / f"joining-{shape}.png")
            visitor.context.close()
        browser.close()
        server.stop()


def _own(visitor: Visitor, file: Path) -> str:
    """The key of a data set of this visitor's own, uploaded where the window shows the sidebar."""
    size = visitor.page.viewport_size
    visitor.page.set_viewport_size({"width": 1366, "height": 900})
    key = upload(visitor, file)
    visitor.page.set_viewport_size(size)
    return key


def _some_file(folder: Path) -> Path:
    """The first sample as a file that a visitor could have."""
    file = folder / "summaries of our group.csv"
    SAMPLES[0].write(file)
    return file


def _words(folder: Path) -> Path:
    """Ratings in words, one of which is no point of a known scale."""
    words = ("Bad", "Poor", "Fair", "Good", "Excellent", "splendid")
    rows = [f"clip {n},rater {r},{words[(n + r) % len(words)]}" for n in range(12) for r in range(4)]
    file = folder / "words.csv"
    file.write_text("\n".join(["item,rater,score", *rows]) + "\n")
    return file


def _numbers(folder: Path) -> Path:
    """A metric of most of the first sample's items, and of one that it does not have."""
    items = sorted(set(SAMPLES[0].generate()["item_id"].tolist()))
    file = folder / "metric.csv"
    file.write_text(
        "\n".join(["item,rouge", *(f"{item},0.{at:02}" for at, item in enumerate([*items[3:], "x"]))])
    )
    return file


def _join(visitor: Visitor, own: str, file: Path) -> None:
    page = visitor.open(f"/data?d={own}")
    unfold(visitor, "Add a file to the open data set")
    with acting(page):
        page.locator("input[type=file]").nth(1).set_input_files(file)
    page.get_by_role("button", name="Save as a new version").wait_for()
    settle(page)


def _address(address: str, key: str) -> str:
    """The address with that data set, and without what belongs to the sample's raters."""
    if not key:
        return address
    path, _, query = address.partition("?")
    kept = [part for part in query.split("&") if part.startswith(("question=", "about="))]
    return f"{path}?{'&'.join([f'd={key}', *kept])}"


def _whole_page(page, path: Path) -> None:  # type: ignore[no-untyped-def]
    """Streamlit scrolls inside its main block, so the window grows to the whole height for the picture."""
    size = page.viewport_size
    height = page.evaluate(
        "() => { const m = document.querySelector('[data-testid=stMain]'); return m ? m.scrollHeight : 0; }"
    )
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], min(height + 20, 6000))})
    page.wait_for_timeout(600)
    page.screenshot(path=path)
    page.set_viewport_size(size)


if __name__ == "__main__":
    main()
