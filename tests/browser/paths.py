"""The ways a visitor takes through the pages, as steps that several browser tests share."""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitor, acting, settle

CURVES = "p => JSON.stringify(p.data.map(t => [t.name, Array.from(t.x || []), Array.from(t.y || [])]))"


def dataset_key(visitor: Visitor) -> str:
    """The reader's key in the address that the visitor's browser shows, "" where no data set is open."""
    return parse_qs(urlsplit(visitor.page.url).query).get("d", [""])[0]


def console_errors(page: Page) -> list[str]:
    """Return the list to which errors in the browser's console are added from now on."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    return errors


def expect_fixed_margins(plot: Locator) -> None:
    """Check that a figure's margins hold its axes: Plotly draws anew where one changes by more than a pixel."""
    margin, size = plot.evaluate(
        "drawn => [drawn.layout.margin, drawn._fullLayout._size].map(m => [m.l, m.r, m.t, m.b])"
    )
    assert size == pytest.approx(margin, abs=1)


def choose_file(visitor: Visitor, file: Path | Sequence[Path]) -> None:
    """Open the Data page and hand it one or more files; return when the proposal stands."""
    page = visitor.open("/data")
    with acting(page):
        page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_role("button", name="Choose another file")).to_be_visible()


def choose(visitor: Visitor, label: str, option: str) -> None:
    """Picks an option of the select box with that label."""
    named = visitor.page.get_by_text(label, exact=True)
    box = visitor.page.get_by_test_id("stSelectbox").filter(has=named).first
    box.scroll_into_view_if_needed()  # the list of options closes when the page scrolls
    box.locator("input").click()
    with acting(visitor.page):
        visitor.page.get_by_role("option", name=option, exact=True).first.click()


def choose_column(visitor: Visitor, column: str, role: str) -> None:
    """Say on the Data page what a column of the waiting file is."""
    box = visitor.page.get_by_role("combobox", name=re.compile(rf"Column \d+: {re.escape(column)}$"))
    box.click()
    with acting(visitor.page):
        visitor.page.get_by_role("option", name=role, exact=True).first.click()


def unfold(visitor: Visitor, label: str) -> None:
    """Open a fold, and wait until it is still: a list that is opened meanwhile closes again."""
    fold = visitor.page.get_by_test_id("stExpander").filter(has_text=label).first
    fold.locator("summary").click()
    expect(fold.locator("details")).to_have_attribute("open", "")
    fold.evaluate(
        "fold => Promise.allSettled(fold.getAnimations({subtree: true}).map(each => each.finished))"
    )


def lower(visitor: Visitor, parameter: str, to: int) -> None:
    """Moves the page's first slider down with the arrow key until the address says it stands there."""
    slider = visitor.page.get_by_role("slider").first
    slider.focus()
    with acting(visitor.page):
        while int(slider.input_value()) > to:
            visitor.page.keyboard.press("ArrowLeft")
    visitor.page.wait_for_function(
        "([name, value]) => new URL(location).searchParams.get(name) === value", arg=[parameter, str(to)]
    )
    settle(visitor.page)


def upload(visitor: Visitor, file: Path | Sequence[Path]) -> str:
    """Upload one or more files, accept what is proposed, save it, and return its reader's key."""
    choose_file(visitor, file)
    before = dataset_key(visitor)
    visitor.page.get_by_role("button", name="Save").click()
    visitor.page.wait_for_function(
        """before => {
            const key = new URL(location).searchParams.get('d');
            return key !== null && key !== before;
        }""",
        arg=before,
        timeout=120_000,
    )
    settle(visitor.page)
    expect(visitor.page.get_by_test_id("stSidebar")).to_be_visible()
    return dataset_key(visitor)


def view(visitor: Visitor) -> dict[str, object]:
    """Return the page's heading, finding, control values and figure curves."""
    page = visitor.page
    return {
        "title": page.get_by_role("heading", level=1).inner_text(),
        "finding": finding(visitor),
        "sliders": [each.input_value() for each in page.get_by_role("slider").all()],
        "selects": [each.input_value() for each in page.locator("[data-testid=stSelectbox] input").all()],
        "numbers": [each.input_value() for each in page.locator("[data-testid=stNumberInput] input").all()],
        "radios": [each.is_checked() for each in page.get_by_role("radio").all()],
        "chosen": page.locator("[data-testid=stMultiSelect]").all_inner_texts(),
        "curves": [figure.evaluate(CURVES) for figure in page.locator(".js-plotly-plot").all()],
    }


def move(visitor: Visitor, what: str) -> None:
    if what == "shuffles":
        lower(visitor, what, 197)
    elif ": " in what:
        label, _, option = what.partition(": ")
        choose(visitor, label, option)
    else:
        with acting(visitor.page):
            visitor.page.get_by_role("radio", name=what, exact=True).click()


def finding(visitor: Visitor) -> str:
    """The page's first sentence, below that of who is excluded."""
    return _sentences(visitor.page).first.inner_text()


def evidence(visitor: Visitor) -> str:
    """The line below the page's first finding: its estimate, interval and n."""
    return _sentences(visitor.page).nth(1).inner_text()


def _sentences(page: Page) -> Locator:
    return page.get_by_test_id("stMain").get_by_test_id("stHtml").filter(has_not_text=re.compile("Excluded"))


def expect_finding(page: Page, said: str) -> None:
    """Wait until the page's first sentence is that, whatever its terms would tell."""
    expect(_sentences(page).first).to_have_text(said, use_inner_text=True)
