"""The first screen of every listed page of every sample: headline, evidence and figure without scrolling."""

import re

import pytest
from playwright.sync_api import Page, TimeoutError

from data.samples import SAMPLES
from tests.browser.conftest import Visitor, settle

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
MOST_OF_FIGURE = 420
"""Pixels of a tall figure that must be seen, such as of one with a row for each of many raters."""
WITHOUT_FIGURE = {"data", "report", "overview"}
"""Pages that open with something else than a finding and its figure."""


def listed_pages(page: Page) -> list[str]:
    """The addresses of the menu, without their parameters."""
    links = page.get_by_test_id("stSidebarNavLink")
    return [re.sub(r"[?#].*", "", links.nth(at).get_attribute("href") or "") for at in range(links.count())]


def seen_below(page: Page) -> str:
    """Return the part of the first finding and figure below the first screen, or ""."""
    height = WIDE["height"]
    headline = page.locator('[data-testid=stMain] p[style*="font-size:1.3rem"]').first
    if not headline.count():
        return "no headline"
    box = headline.bounding_box()
    if box is None or box["y"] + box["height"] > height:
        return "the headline"
    figures = page.locator("[data-testid=stMain] .js-plotly-plot")
    if not figures.count():
        return ""
    box = figures.first.bounding_box()
    assert box is not None
    return "the figure" if box["y"] + min(box["height"], MOST_OF_FIGURE) > height else ""


def test_labels_of_a_row_stand_at_one_height(visitor: Visitor) -> None:
    page = visitor.open("/items?d=sample-summaries&measures=focus&measures=non-redundancy")
    settle(page)
    labels = page.locator("[data-testid=stMain] [data-testid=stWidgetLabel]")
    tops = [box["y"] for at in range(labels.count()) if (box := labels.nth(at).bounding_box())]
    assert len(tops) == 4
    assert max(tops) - min(tops) < 2


FITS = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    return main.scrollWidth - main.clientWidth <= 1;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("sample", [one.key for one in SAMPLES if one.kind != "contributors"])
def test_every_page_answers_on_its_first_screen_and_fits_a_phone(visitor: Visitor, sample: str) -> None:
    page = visitor.open(f"/overview?d={sample}")
    settle(page)
    below, sideways = {}, []
    for address in listed_pages(page):
        name = address.rstrip("/").rpartition("/")[2]
        page.set_viewport_size(WIDE)
        visitor.open(f"/{name}?d={sample}")
        settle(page)
        if name not in WITHOUT_FIGURE and (what := seen_below(page)):
            below[name] = what
        page.set_viewport_size(PHONE)
        settle(page)
        try:  # figures take the new width a moment later
            page.wait_for_function(FITS, timeout=5_000)
        except TimeoutError:
            sideways.append(name)
    assert (below, sideways) == ({}, [])
