"""A figure has the theme of its page, and is saved for a column of a paper: by the visitor's browser, and by kaleido
without a page."""

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from features.plotting.export import ONE_COLUMN, one_chromium
from features.plotting.theme import Look
from tests.browser.conftest import Visitor, acting, settle
from tests.browser.paths import expect_fixed_margins

RESOLUTION = 11811
"""Dots per metre: 300 per inch."""


def size_of_png(file: bytes) -> tuple[int, int, int]:
    """Width, height and dots per metre."""
    at = file.index(b"pHYs") + 4
    wide, high = struct.unpack(">II", file[16:24])
    return wide, high, struct.unpack(">I", file[at : at + 4])[0]


NAMED = "summaries-crowd-and-lab-synthetic"


def looked_at(svg: str, mm: float) -> None:
    """Check a drawing's width, letters and colors."""
    root = ElementTree.fromstring(svg)
    assert root.attrib["width"] == f"{mm:g}mm"
    _, _, wide, high = map(float, root.attrib["viewBox"].split())
    assert float(root.attrib["height"].removesuffix("mm")) == pytest.approx(mm * high / wide, abs=0.05)
    letters = {float(size) for size in re.findall(r"font-size: ?([\d.]+)px", svg)}
    assert letters
    assert all(6.95 <= size * mm / 25.4 * 72 / wide <= 9.05 for size in letters), letters
    assert set(re.findall(r"font-family: ?([A-Za-z]+)", svg)) == {"Arial"}
    dark = Look(dark=True)
    rgb = "rgb({}, {}, {})".format(*(int(dark.ink[at : at + 2], 16) for at in (1, 3, 5)))
    assert rgb not in svg
    assert "rgb(255, 255, 255)" in svg


@pytest.mark.slow
def test_a_dark_page_saves_its_figure_for_a_paper(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    page.emulate_media(color_scheme="dark")
    visitor.open("/distributions?d=sample-summaries&measures=focus&measures=grammaticality")
    page.locator("summary").filter(has_text="Download").click()
    settle(page)
    for mm, label in ((85, "One column"), (180, "Two columns")):
        page.get_by_role("radio", name=label).click()
        settle(page)
        expect(page.locator(f"[data-millimetres='{mm}']")).to_be_attached()
        for form in ("SVG", "PNG"):
            button = page.get_by_role("button", name=form, exact=True)
            with page.expect_download() as waiting:
                button.focus()
                page.keyboard.press("Enter")
            waiting.value.save_as(tmp_path / "figure")
            assert waiting.value.suggested_filename == f"{NAMED}_histograms.{form.lower()}"
            file = (tmp_path / "figure").read_bytes()
            if form == "SVG":
                looked_at(file.decode("utf-8"), mm)
            else:
                wide, _, dots = size_of_png(file)
                assert (dots, wide / dots * 1000) == (RESOLUTION, pytest.approx(mm, abs=0.3))
            expect(button).to_be_focused()
    assert not visitor.violations
    page.emulate_media(color_scheme="light")


@pytest.mark.slow
def test_kaleido_draws_the_same_without_a_page() -> None:
    pytest.importorskip("kaleido")
    figure = {"data": [{"type": "scatter", "x": [1, 2, 3], "y": [2, 1, 3]}], "layout": {"height": 300}}
    with one_chromium() as draw:
        svg, png, pdf = (draw(figure, ONE_COLUMN, form) for form in ("svg", "png", "pdf"))
    looked_at(svg.decode("utf-8"), ONE_COLUMN)
    wide, _, dots = size_of_png(png)
    assert (dots, wide / dots * 1000) == (RESOLUTION, pytest.approx(ONE_COLUMN, abs=0.3))
    [page] = re.findall(rb"/MediaBox \[([^\]]*)\]", pdf)
    assert float(page.split()[2]) / 72 * 25.4 == pytest.approx(ONE_COLUMN, abs=0.5)


@pytest.mark.parametrize(("path", "at"), [("repetitions", 1), ("items", 0)])
def test_margins_hold_the_axes_so_that_nothing_is_drawn_twice(visitor: Visitor, path: str, at: int) -> None:
    """Those of Distributions are seen by tests/browser/test_narrow.py."""
    page = visitor.open(f"/{path}?d=sample-summaries&draws=20")
    expect_fixed_margins(page.locator(".js-plotly-plot").nth(at))


INK = "() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => plot.layout.font.color)"


def test_figures_follow_the_theme_of_an_open_page(visitor: Visitor) -> None:
    page = visitor.open("/repetitions?d=sample-summaries&draws=20")
    light, dark = {Look().ink}, {Look(dark=True).ink}
    assert set(page.evaluate(INK)) == light
    page.get_by_role("spinbutton").first.focus()  # no letter is typed into a field
    with acting(page):
        page.emulate_media(color_scheme="dark")
    assert set(page.evaluate(INK)) == dark
    page.get_by_test_id("stMainMenu").get_by_role("button").click()
    with acting(page):
        page.get_by_role("menuitemradio", name="Light").click()
    assert set(page.evaluate(INK)) == light
    page.reload()
    settle(page)
    assert set(page.evaluate(INK)) == light
    asked = page.evaluate("window.__asked")
    page.emulate_media(color_scheme="light")  # the page stays light
    page.wait_for_timeout(500)
    assert page.evaluate("window.__asked") == asked
