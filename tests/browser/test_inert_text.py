"""Text from an upload is shown as text wherever it appears: no tag, link, formula or icon comes alive."""

import csv
import re
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, TimeoutError, expect

from report.__main__ import main
from tests.browser.conftest import Visitor, acting, new_context, settle
from tests.browser.paths import upload

PAYLOAD = (
    '<img src=x onerror="window.pwned=1"> <b>pwnbold</b> [link](https://evil.invalid) '
    r"$x^2$ \(\href{https://evil.invalid}{h}\) :smile: :red[pwnred] :material/skull: ![i](https://evil.invalid/i.png)"
)
MORE = (
    r"<b>pwnbold</b> $\includegraphics{https://evil.invalid/i.png} \unicode{x41}$ https://evil.invalid "
    "<br> {0} {x} %d %(x)s"
)
"""Each is short enough to be shown whole."""
ROOMS = {
    "/repetitions?draws=20&": ["Unreliable raters"],
    "/assessors?rule=the+least+consistent&": ["What if they go"],
}
ALIVE = r"""() => [...document.body.querySelectorAll('*')].filter(e => {
    const target = e.getAttribute('href') || e.getAttribute('xlink:href') || '';
    const own = [...e.childNodes].every(n => n.nodeType === 3) ? e.textContent.trim() : '';
    return (['IMG', 'IMAGE'].includes(e.tagName.toUpperCase())
            && ((e.getAttribute('src') || target) === 'x' || (e.getAttribute('src') || target).includes('evil')))
        || ['pwnbold', 'pwnred', 'skull', '\u{1F604}'].includes(own)
        || (e.tagName.toLowerCase() === 'a' && target.includes('evil'))
        || e.classList.contains('katex') || e.tagName.toLowerCase() === 'math';
}).map(e => e.outerHTML.slice(0, 200))"""


def hostile_file(folder: Path) -> Path:
    """Two groups, two measures, twelve items; the payload stands in every name, and in the file's own."""
    file = folder / "ratings <b>bold<b> [x](https:evil.invalid).csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["item", "rater", "group", "measure", "score", "system"])
        for measure in range(2):
            for group in range(2):
                for rater in range(8):
                    for item in range(12):
                        score = 1 + (item * 3 + rater * (group + 1) + item * rater + measure) % 5
                        writer.writerow(
                            [
                                f"i{item} {PAYLOAD}",
                                f"r{group}{rater} {MORE}",
                                f"g{group} {PAYLOAD}",
                                f"m{measure} {MORE}",
                                score,
                                f"s{item % 3} {PAYLOAD}",
                            ]
                        )
    return file


def test_names_with_tags_links_and_formulas_stay_text(visitor: Visitor, tmp_path: Path) -> None:
    dialogs: list[str] = []
    visitor.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    visitor.page.route("**/*evil.invalid*", lambda route: route.abort())
    key = upload(visitor, hostile_file(tmp_path))

    hovered: list[str] = []

    def nothing_came_alive(where: str) -> None:
        for plot in visitor.page.locator(".js-plotly-plot").all()[:3]:
            plot.hover(force=True)
            for point in plot.locator(".points path, .point path").all()[:2]:
                point.hover(force=True)
                if not any("<b>pwnbold</b>" in text for text in hovered):
                    with suppress(TimeoutError):
                        plot.locator(".hoverlayer text").first.wait_for(timeout=1_000)
                hovered.extend(plot.locator(".hoverlayer text").all_text_contents())
        settle(visitor.page)
        assert visitor.page.evaluate(ALIVE) == [], where
        assert visitor.page.evaluate("() => window.pwned") is None, where

    for title in ["Overview", "Groups compared", "Data"]:
        visitor.go_to(title)
        nothing_came_alive(title)
    for path, rooms in ROOMS.items():
        page = visitor.open(f"{path}d={key}")
        nothing_came_alive(path)
        for room in rooms:
            with acting(page):
                page.get_by_test_id("stMain").get_by_role("radio", name=room, exact=True).click()
            nothing_came_alive(room)
    assert any("<b>pwnbold</b>" in text for text in hovered), "no name was hovered over"
    assert dialogs == []
    assert not [url for url in visitor.requests if "evil" in url.split("?")[0]]


NAME = '<img src=x onerror="window.pwned=1"> [link](https://evil.invalid) <b>pwnbold</b> $x^2$ :red[pwnred]'


@pytest.mark.slow
def test_a_kept_view_and_the_glossary_show_names_as_text(
    visitor: Visitor, chromium: Browser, tmp_path: Path
) -> None:
    """The owner keeps a view with a hostile name and note; a reader in another browser opens its list."""
    key = upload(visitor, hostile_file(tmp_path))
    page = visitor.open(f"/repetitions?d={key}&draws=20")
    page.get_by_role("button", name="Views").click()
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_label("Note", exact=True).fill(PAYLOAD)
    page.get_by_role("combobox", name="Seen by").click()
    page.get_by_role("option", name="whoever has a link to the data set").click()
    settle(page)
    with acting(page):
        page.get_by_role("button", name="Keep this view").click()
    context = new_context(chromium)
    reader = context.new_page()
    asked: list[str] = []
    reader.on("request", lambda request: asked.append(request.url))
    reader.goto(f"{visitor.base}/repetitions?d={key}&draws=20")
    settle(reader)
    reader.get_by_role("button", name="Views").click()
    for seen in (page, reader):
        expect(seen.get_by_role("link", name=NAME)).to_be_visible()
        expect(seen.get_by_text(PAYLOAD).last).to_be_visible()
        seen.keyboard.press("Escape")
        seen.locator("button[popovertarget]").first.click()
        assert seen.evaluate(ALIVE) == []
        assert seen.evaluate("() => window.pwned") is None
    assert not [url for url in [*visitor.requests, *asked] if "evil" in url.split("?")[0]]
    context.close()


@pytest.mark.slow
def test_a_report_of_such_a_file_shows_them_as_text(chromium: Browser, tmp_path: Path) -> None:
    """The HTML file in a browser, and what the Word file would fetch or follow."""
    out = tmp_path / "out"
    options = ["--title", PAYLOAD, "--notes", PAYLOAD, "--draws", "5"]
    assert main([str(hostile_file(tmp_path)), "--out", str(out), *options]) == 0
    page, asked = chromium.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((out / "report.html").as_uri())
    for plot in page.locator(".js-plotly-plot").all():
        plot.scroll_into_view_if_needed()
        plot.hover(force=True)
        for point in plot.locator(".points path, .point path").all()[:2]:
            point.hover(force=True)
    assert "<b>pwnbold</b>" in page.inner_text("body")
    assert page.evaluate(ALIVE) == []
    assert page.evaluate("() => window.pwned") is None
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()
    with zipfile.ZipFile(out / "report.docx") as word:
        parts = {
            name: word.read(name).decode("utf-8")
            for name in word.namelist()
            if name.endswith((".xml", ".rels"))
        }
    assert [name for name, part in parts.items() if name.endswith(".rels") and "evil" in part] == []
    assert "&lt;b&gt;pwnbold&lt;/b&gt;" in parts["word/document.xml"]
    assert not re.search(r"HYPERLINK[^<]*evil|INCLUDEPICTURE", parts["word/document.xml"])
