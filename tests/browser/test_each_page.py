"""One short journey per page, on the sample that it is for: its finding, what axe says of it, a control, the address
that shows the same again, and a phone's width.
"""

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from features.notices import Holding
from tests.browser.axe import violations_in_both_themes
from tests.browser.conftest import Visitor, settle
from tests.browser.paths import finding, move
from ui.visit.pages import PAGES, START, PageEntry


class Journey(NamedTuple):
    query: str
    finding: str
    control: str
    """What is moved: an option of a radio, `label: option` of a select box, or a parameter of the first slider."""
    then: str


OFTEN = ("start.py", "overview.py", "study_report.py")
"""Pages that are walked often; by hand, all are. Every page is drawn by other tests without a browser, too."""
JOURNEYS = {
    "start.py": Journey("", "ratings per item.", "", ""),
    "overview.py": Journey(
        "?d=sample-summaries&measures=focus",
        "21,600 ratings of 50 items by 117 raters in 2 groups",
        "Exclude by a rule: the least consistent",
        "21,231 ratings of 50 items by 116 raters",
    ),
    "datasets.py": Journey("?d=sample-assessors", "Nothing is saved until you say so", "", ""),
    "distributions.py": Journey(
        "?d=sample-summaries",
        "3.79 and 3.38",
        "Single ratings",
        "3.79 and 3.38",
    ),
    "agreement.py": Journey(
        "?d=sample-summaries",
        "Single crowd ratings reach an alpha of at most 0.42",
        "Candidate group: lab",
        "Single lab ratings reach an alpha of at most 0.64",
    ),
    "crowd_vs_lab.py": Journey(
        "?d=sample-summaries&draws=20&permutations=100",
        "Crowd and lab correlate least on post usefulness, ρ = 0.61.",
        "Differences",
        "bootstrap of items and raters of each group (20 samples, seed 0)",
    ),
    "standing_in.py": Journey(
        "?d=sample-summaries&stand_in_measure=focus&fewest_shared=15&draws=20",
        "Crowd can replace a lab rater on focus.",
        "Measure: referential clarity",
        "a lab rater on referential clarity",
    ),
    "repetitions.py": Journey(
        "?d=sample-summaries&draws=20",
        "Post usefulness needs most, about 19 ratings per item.",
        "Correlation: Pearson",
        "95% CI 8–10 on referential clarity",
    ),
    "planning.py": Journey(
        "?d=sample-summaries&plan=Do+systems+differ%3F",
        "This plan has a 61% chance",
        "Variances of: summary study",
        "This plan has a 68% chance",
    ),
    "assessors.py": Journey(
        "?d=sample-assessors",
        "1 of 8 raters is clearly more consistent than the typical rater on Responsiveness.",
        "What if they go",
        "changes most without rater C",
    ),
    "workers.py": Journey(
        "?d=sample-comparisons&preference_draws=20",
        "2 of 10 raters do not agree with the others beyond chance.",
        "Exclude by a rule: the least consistent",
        "the number of raters not beyond chance is 1 instead of 2.",
    ),
    "systems.py": Journey(
        "?d=sample-assessors",
        "System human 2 ranks first",
        "Ranks first: the lowest",
        "System 36 ranks first",
    ),
    "items.py": Journey(
        "?d=sample-summaries&candidate=lab&reference=crowd&item_measure=overall+quality",
        "Most clearly summary 44: SD 1.32",
        "Possibly faulty",
        "No item is clearly faulty",
    ),
    "metrics.py": Journey(
        "?d=sample-assessors&draws=20",
        "Metric rouge2 correlates best with Pyramid",
        "Systems: all systems",
        "58 systems",
    ),
    "pyramid.py": Journey(
        "?d=sample-assessors&draws=20",
        "Rater C misses content, scoring 0.045 below the automatic Pyramid.",
        "",
        "",
    ),
    "training.py": Journey(
        "?d=sample-assessors&training_draws=20&training_features=rouge1&training_features=rouge2",
        "The metric trained for Readability correlates with it",
        "Measure to predict: Pyramid",
        "The metric trained for Pyramid correlates with it",
    ),
    "comprehension.py": Journey(
        "?d=sample-comprehension&draws=20",
        "People's summaries share 61% of what others found important",
        "Author by author",
        "R + P is highest for summaries of D and questions of C, 85%.",
    ),
    "study_report.py": Journey("?d=sample-comprehension", "has 3 sections", "", ""),
    "relevance.py": Journey(
        "?d=sample-relevance&draws=20",
        "decide as with the full text 81% of the time",
        "Do raters agree",
        "Two raters decide alike on 78% of the documents",
    ),
}


TWO_GROUPS = Holding("ratings", ("crowd", "lab"))


def test_every_page_has_a_journey() -> None:
    assert set(JOURNEYS) == {page.script for page in PAGES}


@pytest.mark.parametrize(
    "entry",
    [entry if entry.script in OFTEN else pytest.param(entry, marks=pytest.mark.slow) for entry in PAGES],
    ids=lambda entry: entry.script,
)
def test_a_page_tells_its_finding_follows_its_control_and_fits_a_phone(
    visitor: Visitor, entry: PageEntry
) -> None:
    journey = JOURNEYS[entry.script]
    path = "" if entry is START else entry.address
    page = visitor.open(f"/{path}{journey.query}")
    main = page.get_by_test_id("stMain")
    heading = entry.heading or entry.title_for(TWO_GROUPS)
    expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()
    expect(main).to_contain_text(journey.finding)
    if entry.script == "distributions.py":
        page.get_by_role("button", name="Share", exact=True).click()
        page.get_by_test_id("stPopoverBody").locator("code").first.wait_for()
    assert violations_in_both_themes(page) == []
    helps = page.locator('[aria-label^="Help for "]').evaluate_all("all => all.map(one => one.ariaLabel)")
    assert [name for name in helps if not re.match(r"Help for [A-Z]", name)] == []
    page.keyboard.press("Escape")
    if journey.control:
        figure = page.locator(".js-plotly-plot").first
        expect(figure).to_be_visible()
        before, address = main.inner_text(), page.url
        move(visitor, journey.control)
        assert page.url != address
        expect(page.locator("body")).to_contain_text(journey.then)
        assert main.inner_text() != before
    for alert in ("stException", "stAlertContentError"):
        assert page.get_by_test_id(alert).count() == 0
    if journey.control:
        moved, address = finding(visitor), page.url
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    settle(page)
    if journey.control:
        assert page.url == address
        assert finding(visitor) == moved
    page.wait_for_function(
        "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth <= 1; }"
    )
    if entry is START:
        return
    title = page.get_by_role("heading", level=1).bounding_box()
    share = page.get_by_role("button", name="Share", exact=True).bounding_box()
    assert title is not None
    assert share is not None
    assert title["x"] + title["width"] <= share["x"]
    assert share["x"] + share["width"] <= 390
    assert title["y"] < share["y"] + share["height"]
