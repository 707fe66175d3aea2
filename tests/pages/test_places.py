"""A row of controls that are bound to the address keeps its place on the page, whatever comes and goes above it.

The browser draws a row that moved anew, beside the one that it will take away; taking that away unties its controls
from the address, and what is changed from then on no longer reaches it.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from data.samples import SAMPLES, Sample
from ui.visit.pages import PAGES, PageEntry

Open = Callable[..., AppTest]
Places = dict[str, tuple[int, ...]]
VIEWS = [
    (page, sample) for page in PAGES for sample in SAMPLES if page.needs_dataset and sample.kind in page.kinds
]
LARGEST = "sample-assessors"
SECOND = "sample-votes"
"""Ratings like those of another sample, without names of raters: each page as it opens."""
LONG = (("repetitions.py", "sample-summaries"), ("planning.py", "sample-comparisons"))
OF_EACH_KIND = [
    pytest.param(
        page,
        sample,
        marks=pytest.mark.slow if sample.key == LARGEST or (page.script, sample.key) in LONG else (),
    )
    for page, sample in VIEWS
]
"""Each page often; by hand a second study of ratings and the two longest views, of pages that another study shows."""
PREFIXES = ("", "preference_", "scale_", "label_", "comprehension_", "relevance_", "training_")
FEW = {f"{name}draws": "20" for name in PREFIXES} | {
    "permutations": "100",
    "random": "20",
    "partition_draws": "100",
    "shuffles": "20",
}
MORE = {name: "21" if value == "20" else value for name, value in FEW.items()}
QUESTIONS = ("question", "about", "plan", "section")
OF_RATINGS = ("without", "only_")
"""Controls of the sidebar that change what all panels rest on."""
KINDS = (
    "selectbox",
    "button_group",
    "radio",
    "number_input",
    "multiselect",
    "toggle",
    "checkbox",
    "slider",
)


def places(app: AppTest, popped: bool = False) -> Places:
    """Map each bound control, by the browser's name for it, to the place of its row or fold.

    Within its row a control may move: there the browser knows it by that name. What a popover holds is drawn, and
    tied, when it is opened, and a popover that moves while it is open closes, as Chromium shows, with its ties kept: a
    control that it holds must not do that. These count if `popped`, and only these, with their popover's place.
    """
    return dict(_below(app._tree, (), popped))


def _below(block: Any, path: tuple[int, ...], popped: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    for at, child in block.children.items():
        if hasattr(child, "children"):
            if child.type != "popover":
                yield from _below(child, (*path, at), popped)
            elif popped:
                yield from _below(child, (*path, at), popped=False)
        elif getattr(child.proto, "query_param_key", "") and not popped:
            yield child.proto.id, path


def in_popovers(app: AppTest) -> set[str]:
    """The keys of bound controls that popovers hold."""
    held = set(places(app, popped=True))
    return {key for key, control in bound(app).items() if control.proto.id in held}


def bound(app: AppTest) -> dict[str, Any]:
    """The bound controls by key."""
    there = [control for kind in KINDS for control in app.get(kind)]
    return {control.key: control for control in there if control.proto.query_param_key}


def another(control: Any) -> Any:
    """Another value than the control has; None where there is none."""
    if control.type in ("toggle", "checkbox"):
        return not control.value
    if control.type == "multiselect":
        return control.options[:1] or None
    if control.type == "slider":
        return control.max
    if control.type == "number_input":
        near = [(control.value or 0) + step for step in (control.step, -control.step)]
        lowest, highest = control.min, control.max
        return next(
            (
                value
                for value in near
                if (lowest is None or value >= lowest) and (highest is None or value <= highest)
            ),
            None,
        )
    return next((value for value in control.options if value != control.value), None)


class Watched:
    """The first place of each control, and which were seen elsewhere since."""

    def __init__(self) -> None:
        self.first: Places = {}
        self.moved: list[str] = []

    def look(self, app: AppTest, after: str) -> None:
        assert not app.exception, app.exception
        self._compare(self.first, places(app), after)

    def _compare(self, before: Places, now: Places, after: str) -> None:
        for name, place in now.items():
            if place != (first := before.setdefault(name, place)):
                self.moved.append(f"{name.split('-', 2)[-1]} from {first} to {place} by {after}")

    def move_each(self, app: AppTest, keys: list[str], where: str) -> None:
        """Moves one control after the other, each back before the next; what moves one in a popover leaves it open."""
        back: dict[str, Any] = {}
        for key in keys:
            there = bound(app)
            for moved, value in back.items():
                if moved in there:
                    there[moved].set_value(value)
            back = {}
            if key in there and (value := another(there[key])) is not None:
                back = {key: there[key].value}
                open_now = places(app, popped=True) if key in in_popovers(app) else {}
                there[key].set_value(value)
                self.look(app.run(), f"{where} {key}: {value}")
                if open_now:
                    self._compare(
                        open_now, places(app, popped=True), f"{where} {key}: {value}, in an open popover"
                    )


def questions(app: AppTest) -> list[dict[str, str]]:
    """The addresses of what the page can be asked."""
    asked = next((control for key, control in bound(app).items() if key in QUESTIONS), None)
    return [{asked.key: option} for option in asked.options] if asked else [{}]


@pytest.mark.journey
@pytest.mark.parametrize(
    ("page", "sample"), OF_EACH_KIND, ids=lambda of: getattr(of, "script", getattr(of, "key", ""))
)
def test_a_bound_row_keeps_its_place_when_the_ratings_change_and_computing_ends_or_is_stopped(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, page: PageEntry, sample: Sample
) -> None:
    watched = Watched()
    every = questions(open_page(page.script, d=sample.key, **FEW))
    for asked in every[:1] if sample.key == SECOND else every:
        where = " ".join(asked.values())
        app = open_page(page.script, d=sample.key, **FEW, **asked)
        watched.look(app, f"{where} opened")
        watched.look(app.run(), f"{where} with all at hand")
        watched.move_each(app, sorted(in_popovers(app)), f"{where} in a popover")
        with monkeypatch.context() as patch:
            patch.setattr("ui.elements._is_stopped", lambda *_: True)
            watched.look(open_page(page.script, d=sample.key, **MORE, **asked), f"{where} stopped")
        watched.move_each(app, [key for key in bound(app) if key.startswith(OF_RATINGS)], where)
    assert not watched.moved, "\n".join(watched.moved)


def test_a_popover_that_moves_by_what_it_holds_is_seen() -> None:
    def script() -> None:
        import streamlit as st

        with st.container(horizontal=True):
            if st.session_state.get("more"):
                st.text("what it adds before the popover")
            with st.popover("More"):
                st.toggle("More of it", key="more", bind="query-params")

    watched, app = Watched(), AppTest.from_function(script).run()
    assert in_popovers(app) == {"more"}
    watched.move_each(app, ["more"], "here")
    assert len(watched.moved) == 1
    assert "in an open popover" in watched.moved[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "sample"), VIEWS, ids=lambda of: getattr(of, "script", getattr(of, "key", ""))
)
def test_a_bound_row_keeps_its_place_when_any_control_is_moved(
    open_page: Open, page: PageEntry, sample: Sample
) -> None:
    watched, tried = Watched(), set(QUESTIONS)
    for asked in questions(open_page(page.script, d=sample.key, **FEW)):
        app = open_page(page.script, d=sample.key, **FEW, **asked)
        watched.look(app, "opened")
        keys = [key for key in bound(app) if key not in tried]
        tried |= set(keys)
        watched.move_each(app, keys, " ".join(asked.values()))
    assert not watched.moved, "\n".join(watched.moved)
