"""The address is the view: after any sequence of controls, whoever opens it sees every sentence, table and figure that
its sender sees."""

import random
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, TimeoutError

from data.samples import SAMPLES
from tests.browser.conftest import Visitor, settle
from tests.browser.paths import CURVES
from ui.visit.pages import PAGES

STEPS = 20
FOLDED = 0.3
"""The share of steps in popovers and folds."""
FEW = "&".join(
    f"{name}draws=20"
    for name in ("", "preference_", "scale_", "label_", "comprehension_", "relevance_", "training_")
)
VIEWS = [
    (entry, sample.key)
    for entry in PAGES
    for sample in SAMPLES
    if entry.needs_dataset and sample.kind in entry.kinds
]
CONTROLS = ", ".join(
    f"[data-testid={name}]"
    for name in (
        "stSlider",
        "stNumberInput",
        "stSelectbox",
        "stMultiSelect",
        "stRadio",
        "stButtonGroup",
        "stCheckbox",
    )
)
CELLS = """table => Array.from(table.querySelectorAll('[role=row]'))
    .map(row => Array.from(row.children).map(cell => cell.textContent))"""
APART = ("Data set",)
"""What is not of the view: another data set is another address."""
FOLDS = "[data-testid=stPopover] button, [data-testid=stExpander] summary"
OPEN = "[data-testid=stExpander] details[open] > summary"
WITHOUT_CONTROLS = ("Columns and files", "Share", "How this is computed", "Show code")


def controls(place: Page | Locator) -> list[Locator]:
    """Return usable controls."""
    found = []
    for control in place.locator(CONTROLS).all():
        if not control.is_visible() or control.locator("[disabled], [aria-disabled=true]").count():
            continue
        if any(control.get_by_text(name, exact=True).count() for name in APART):
            continue
        found.append(control)
    return found


def folds(page: Page) -> list[Locator]:
    """Popovers and folds that may hold controls."""
    there = [fold for fold in page.locator(FOLDS).all() if fold.is_visible()]
    return [fold for fold in there if not any(name in fold.inner_text() for name in WITHOUT_CONTROLS)]


def still(page: Page) -> None:
    """Wait until folds stand: a list that is opened meanwhile closes again, and what is being hidden is still seen."""
    page.wait_for_function(
        """() => Array.from(document.querySelectorAll('details'))
            .every(fold => fold.getAnimations({subtree: true}).every(each => each.playState !== 'running'))"""
    )
    page.wait_for_timeout(300)


def moved_inside(page: Page, fold: Locator, rng: random.Random) -> str:
    """Moves a control in a popover or fold, and closes that again: whether it is open is not of the view."""
    said = (fold.inner_text().splitlines() or [""])[0]
    body = page.get_by_test_id("stPopoverBody")
    is_popover = fold.evaluate("one => one.tagName") == "BUTTON"
    were_open = page.locator(OPEN).all_inner_texts()
    fold.scroll_into_view_if_needed()
    fold.click()
    settle(page)
    still(page)
    inside = controls(body if is_popover else fold.locator("xpath=.."))
    if inside:
        said += f" > {moved(page, rng.choice(inside), rng)}"
    for still_open in page.locator(OPEN).all():
        if still_open.inner_text() not in were_open:
            still_open.click()
    if body.is_visible():
        page.keyboard.press("Escape")
    settle(page)
    still(page)
    return said


def moved(page: Page, control: Locator, rng: random.Random) -> str:
    """Moves a control at random, and says how."""
    kind = control.get_attribute("data-testid")
    said = (control.inner_text().splitlines() or [""])[0]
    control.scroll_into_view_if_needed()
    asked = page.evaluate("window.__asked")
    if kind == "stSlider":
        thumb = rng.choice(control.get_by_role("slider").all())
        thumb.focus()
        key = rng.choice(["ArrowLeft", "ArrowRight", "PageUp", "PageDown"])
        for _ in range(rng.randint(1, 3)):
            page.keyboard.press(key)
        said += f" {key}"
    elif kind == "stNumberInput":
        box = control.locator("input")
        box.focus()
        page.keyboard.press(rng.choice(["ArrowUp", "ArrowDown"]))
        page.keyboard.press("Enter")
    elif kind in ("stSelectbox", "stMultiSelect"):
        control.locator("input").first.click()
        options = page.get_by_role("option")
        with suppress(TimeoutError):
            options.first.wait_for(timeout=2000)
        there = options.all()[:12]
        if not there:
            page.keyboard.press("Escape")
            return said
        option = rng.choice(there)
        said += f": {option.inner_text()}"
        option.click()
        if kind == "stMultiSelect":  # it stays open; in the other, Escape would clear what was chosen
            page.keyboard.press("Escape")
    else:
        parts = (
            control.locator("label, button").all()
            if kind != "stButtonGroup"
            else control.get_by_role("radio").all()
        )
        parts = [part for part in parts if part.is_visible()] or [control]
        part = rng.choice(parts)
        said += f": {part.inner_text()}"
        part.click()
    with suppress(TimeoutError):  # what stands where it stood asks for nothing
        page.wait_for_function("before => window.__asked > before", arg=asked, timeout=1500)
    settle(page)
    return said


def seen(page: Page) -> dict[str, Any]:
    """Every sentence, control, table and figure."""
    main = page.get_by_test_id("stMain")
    return {
        "sentences": [each.inner_text() for each in main.get_by_test_id("stHtml").all() if each.is_visible()],
        "captions": [each.inner_text() for each in main.get_by_test_id("stCaptionContainer").all()],
        "sidebar": page.get_by_test_id("stSidebarUserContent").inner_text(),
        "sliders": [each.input_value() for each in page.get_by_role("slider").all()],
        "selects": [each.input_value() for each in page.locator("[data-testid=stSelectbox] input").all()],
        "numbers": [each.input_value() for each in page.locator("[data-testid=stNumberInput] input").all()],
        "radios": [each.is_checked() for each in page.get_by_role("radio").all()],
        "checks": [each.is_checked() for each in page.get_by_role("checkbox").all()],
        "chosen": page.locator("[data-testid=stMultiSelect]").all_inner_texts(),
        "tables": [
            each.evaluate(CELLS) for each in main.get_by_test_id("stDataFrame").all() if each.is_visible()
        ],
        "figures": [figure.evaluate(CURVES) for figure in page.locator(".js-plotly-plot").all()],
    }


def drawn_of_both(one: list[list[str]], other: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """The cells of a table that both browsers have drawn: what is scrolled out of sight is in none of them."""
    if not (one and other):
        return one, other
    rows, columns = min(len(one), len(other)), min((len(row) for row in [*one, *other]), default=0)
    return [row[:columns] for row in one[:rows]], [row[:columns] for row in other[:rows]]


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    found = []
    for name in one:
        if one[name] == other[name]:
            continue
        a, b = one[name], other[name]
        if isinstance(a, list) and len(a) == len(b):
            if name == "tables":
                a, b = zip(*(drawn_of_both(x, y) for x, y in zip(a, b, strict=True)), strict=True)
            pairs = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
            found += [f"{name}: {str(x)[:300]!r} and {str(y)[:300]!r}" for x, y in pairs[:3]]
        else:
            found.append(f"{name}: {str(a)[:400]!r} and {str(b)[:400]!r}")
    return found


def lasting_differences(one: Page, other: Page) -> list[str]:
    """Return differences that persist: tables show when drawn, figures once their data have come."""
    for wait in (0, 1000, 4000, 8000):
        other.wait_for_timeout(wait)
        settle(other)
        found = differences(seen(one), seen(other))
        if not found:
            break
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("entry", "key"), VIEWS, ids=lambda of: getattr(of, "script", of))
def test_an_address_shows_its_reader_what_its_sender_sees(
    visitor: Visitor, second_visitor: Visitor, entry: Any, key: str
) -> None:
    rng = random.Random(f"{entry.script} {key}")
    page = visitor.open(
        f"/{entry.address}?d={key}&{FEW}&permutations=100&random=20&partition_draws=100&shuffles=20"
    )
    done = []
    for step in range(STEPS):
        offered, folded = controls(page), folds(page)
        if not (offered or folded):
            break
        if folded and (not offered or rng.random() < FOLDED):
            done.append(moved_inside(page, rng.choice(folded), rng))
        else:
            done.append(moved(page, rng.choice(offered), rng))
        if step % 5 == 4 or step == STEPS - 1:
            page.wait_for_timeout(500)
            settle(page)
            address = page.evaluate("location.href")
            second_visitor.open(address)
            apart = lasting_differences(page, second_visitor.page)
            assert not apart, "\n".join([address, *done, *apart])
