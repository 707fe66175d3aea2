"""The five questions of docs/walkthrough.md, each answered in at most three clicks after Save."""

import csv
import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitor, acting, settle
from tests.browser.paths import choose_file

MOST_CLICKS = 3
SYSTEMS = {"Aster": 0.6, "Birch": 0.2, "Cedar": 0.1, "Dogwood": -0.3, "Elm": -0.6}
"""Effect of each on the quality of its summaries, in score points."""
TOPICS, CROWD, LAB = 24, 30, 6
VOTES = 10
"""Crowd ratings of each item; the lab rates all."""
REVERSED, CARELESS = "worker 03", "worker 17"
"""One takes 1 for the best score, the other answers without reading."""
COLUMNS = ("item", "system", "topic", "rater", "group", "score", "llm_judge")


def write_study(path: Path) -> Path:
    """Write 120 summaries of 5 systems, rated by a crowd and a laboratory, with the scores of a model."""
    rng = np.random.default_rng(7)
    severity = {f"worker {at:02d}": 0.25 * rng.standard_normal() for at in range(1, CROWD + 1)}
    severity |= {f"lab {at}": 0.2 * rng.standard_normal() for at in range(1, LAB + 1)}
    workers = [name for name in severity if name.startswith("worker")]
    rows = []
    for topic in range(1, TOPICS + 1):
        harder = 0.3 * rng.standard_normal()
        for system, better in SYSTEMS.items():
            quality = 3.2 + better + harder + 0.6 * rng.standard_normal()
            judge = _score(quality + 0.2 + 0.45 * rng.standard_normal())
            voting = [*rng.choice(workers, VOTES, replace=False), *(f"lab {at}" for at in range(1, LAB + 1))]
            for rater in voting:
                in_lab = rater.startswith("lab")
                view = quality + severity[rater] + (0.55 if in_lab else 0.8) * rng.standard_normal()
                score = int(rng.integers(1, 6)) if rater == CARELESS else _score(view)
                score = 6 - score if rater == REVERSED else score
                group = "lab" if in_lab else "crowd"
                rows.append(
                    (
                        f"{system} on topic {topic:02d}",
                        system,
                        f"topic {topic:02d}",
                        rater,
                        group,
                        score,
                        judge,
                    )
                )
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path


def _score(view: float) -> int:
    return int(np.clip(round(view), 1, 5))


class Clicks:
    """The clicks of a visitor, counted."""

    def __init__(self, visitor: Visitor) -> None:
        self.page, self.made = visitor.page, 0

    def on(self, target: Locator, opens: bool = False) -> None:
        """Click, and wait for what that changes; what only opens a list changes nothing."""
        target.scroll_into_view_if_needed()
        with nullcontext() if opens else acting(self.page):
            target.click()
        settle(self.page)
        self.made += 1

    def page_of(self, title: str) -> None:
        """Follow a link of the menu."""
        self.on(self.page.get_by_test_id("stSidebarNavItems").get_by_role("link", name=title, exact=True))
        expect(self.page.get_by_role("heading", level=1, name=title)).to_be_visible()
        settle(self.page)

    def rule(self, name: str) -> None:
        """Exclude raters by a rule of the sidebar: open the list, and choose."""
        named = self.page.get_by_test_id("stSelectbox").filter(has_text="Exclude by a rule")
        self.on(named.locator("input"), opens=True)
        self.on(self.page.get_by_role("option", name=name, exact=True))


def status(page: Page) -> str:
    """Return the grade next to the page's main headline."""
    headline = page.locator(
        '[data-testid=stMain] [data-testid=stHtml]:has(p[style*="font-size:1.3rem"])'
    ).first
    expect(headline).to_be_visible()
    found = re.search(r"(clear|uncertain|not enough data|not applicable)\s*$", headline.inner_text().strip())
    return found[1] if found else ""


GRADES = "(clear|uncertain)"
"""Of an answer."""


def crowd_is_good_enough(clicks: Clicks) -> None:
    clicks.page_of("Crowd vs lab")


def ratings_needed(clicks: Clicks) -> None:
    clicks.page_of("Repetitions")


def whom_to_exclude(clicks: Clicks) -> None:
    """The overview's card of raters says whom; the ranking says what changes without them."""
    card = (
        clicks.page.get_by_test_id("stMain")
        .get_by_test_id("stHtml")
        .filter(has_text="than the typical rater")
    )
    assert re.search(rf"{GRADES}\s*$", card.first.inner_text().strip())
    clicks.rule("the least consistent")
    clicks.page_of("Ranking systems")
    sentences = clicks.page.get_by_test_id("stMain").get_by_test_id("stHtml")
    changed = sentences.filter(has_not_text=re.compile("Excluded")).first
    expect(changed).to_contain_text(REVERSED)
    assert re.search(rf"{GRADES}\s*$", changed.inner_text().strip())


def best_system(clicks: Clicks) -> None:
    clicks.page_of("Ranking systems")


def model_replaces_raters(clicks: Clicks) -> None:
    clicks.page_of("Replacing raters")


WALKS = (crowd_is_good_enough, ratings_needed, whom_to_exclude, best_system, model_replaces_raters)


@pytest.mark.slow
def test_five_questions_are_answered_in_three_clicks_each(visitor: Visitor, tmp_path: Path) -> None:
    choose_file(visitor, write_study(tmp_path / "summaries.csv"))
    visitor.page.get_by_role("button", name="Save", exact=True).click()
    expect(visitor.page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(visitor.page)
    overview, answered = visitor.page.url, {}
    for walk in WALKS:
        visitor.open(overview)
        clicks = Clicks(visitor)
        walk(clicks)
        answered[walk.__name__] = (clicks.made <= MOST_CLICKS, status(visitor.page))
    assert all(few and grade in ("clear", "uncertain") for few, grade in answered.values()), answered
