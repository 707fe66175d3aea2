"""Pages stay small whatever names a data set holds that an older version saved, and names cut in a list lead back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analysis.values.estimate import LONGEST_SHOWN, distinct_label
from data.store.store import Store
from features.study import Session, use_session
from report.build import build_report
from report.files import html
from report.settings import ReportSettings
from tests.pages.conftest import sentences
from ui import render
from ui.elements import LONGEST_ALT

Open = Callable[..., AppTest]
LONG = 8_000
"""Characters of each name."""
MOST_BYTES = 250_000
"""That a page sends; with one name of each of the 50 raters whole it would be 400,000."""
STUDIES = {
    "ratings": (
        "item_id,rater_id,score,rater_group,system,topic,measure,rater_town",
        [
            (f"i{item}", f"r{rater}", (item * 7 + rater * 3) % 5 + 1, f"g{rater % 3}", f"s{item % 3}",
             f"t{item % 2}", f"m{measure}", f"a{rater % 4}")
            for item in range(6) for rater in range(50) for measure in range(2)
        ],
    ),
    "choices": (
        "item_id,rater_id,choice,option_a,option_b,design",
        [
            (f"i{item}", f"r{rater}", "AB"[(item * rater + rater) % 2], f"s{item % 3}", f"s{(item + 1) % 3}",
             f"d{rater % 2}")
            for item in range(6) for rater in range(20)
        ],
    ),
    "comprehension": (
        "story_id,summary_author,question_author,question_id,answer,judge_id,story_type",
        [
            (f"st{story}", f"A{wrote}", f"A{asked}", f"q{number}", "RPIN"[(story + wrote * asked + number) % 4],
             f"j{judge}", f"y{story % 2}")
            for story in range(4) for wrote in range(4) for asked in range(4) if wrote != asked
            for number in range(2) for judge in range(2)
        ],
    ),
    "relevance": (
        "rater_id,event_id,document_id,surrogate,judgment,gold",
        [
            (f"r{rater}", f"e{event}", f"d{document}", f"s{surrogate}", (document + rater * surrogate) % 2,
             document % 2)
            for rater in range(6) for event in range(3) for document in range(4) for surrogate in range(3)
        ],
    ),
}  # fmt: skip
STAY = {"score", "choice", "answer", "judgment", "gold"}
"""Columns that hold no names."""
PAGES = [
    *(("ratings", f"{page}.py") for page in (
        "overview", "datasets", "distributions", "agreement", "assessors", "items", "crowd_vs_lab", "repetitions",
        "standing_in", "systems", "planning",
    )),
    *(("choices", f"{page}.py") for page in ("overview", "repetitions", "systems", "workers")),
    ("comprehension", "overview.py"), ("comprehension", "comprehension.py"), ("relevance", "relevance.py"),
]  # fmt: skip


FIRST = {"overview.py", "assessors.py", "items.py", "workers.py", "comprehension.py", "relevance.py"}
"""Pages that show all sorts of names; the second tier opens the others."""


def lengthened(name: str) -> str:
    return f"{name}{'x' * LONG}{name}"


@pytest.fixture(scope="module")
def long_named(database: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A reader's key of a data set of each kind, with names that no upload brings in any more."""
    keys = {}
    with Store() as store:
        for kind, (header, rows) in STUDIES.items():
            file = tmp_path_factory.mktemp("long") / f"{kind}.csv"
            file.write_text(
                "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8"
            )
            columns = header.split(",")
            dataset = store.add(file, kind, {name: name for name in columns})
            longer = ", ".join(
                f"{name} = {name} || repeat('x', {LONG}) || {name}" for name in columns if name not in STAY
            )
            with store._database.cursor() as cursor:
                cursor.execute(f"UPDATE rows_{dataset.id} SET {longer}")
            keys[kind] = store.link(dataset.id)
    return keys


def sent(app: AppTest) -> list[bytes]:
    """Return the messages of all elements."""
    found = []

    def look_at(block: object) -> None:
        message = getattr(block, "proto", None)
        if hasattr(message, "SerializeToString"):
            found.append(message.SerializeToString())
        for child in getattr(block, "children", {}).values():
            look_at(child)

    look_at(app._tree)
    return found


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        (kind, page) if page in FIRST else pytest.param(kind, page, marks=pytest.mark.journey)
        for kind, page in PAGES
    ],
)
def test_a_page_is_small_and_shows_no_long_name(
    open_page: Open, long_named: dict[str, str], kind: str, page: str
) -> None:
    app = open_page(
        page, d=long_named[kind], all_columns="true", draws="20", shuffles="10", permutations="100"
    )
    elements = sent(app)
    assert sum(map(len, elements)) < MOST_BYTES
    assert not [element for element in elements if b"x" * LONGEST_ALT in element]
    assert max(len(" ".join(values)) for values in app.query_params.values()) < 1_000


def test_the_names_that_a_list_cuts_lead_back_from_the_address(
    open_page: Open, long_named: dict[str, str]
) -> None:
    item, rater, group = (distinct_label(lengthened(name)) for name in ("i3", "r17", "g2"))
    assert max(map(len, (item, rater, group))) <= LONGEST_SHOWN
    app = open_page("items.py", d=long_named["ratings"], item=item, without=rater, candidate=group)
    assert app.selectbox(key="item").value == lengthened("i3")
    assert app.selectbox(key="candidate").value == lengthened("g2")
    assert app.multiselect(key="without").value == [lengthened("r17")]
    assert "has 98 ratings" in sentences(app)
    assert "49 raters" in sentences(app)
    assert sum(map(len, sent(app))) < MOST_BYTES


def test_a_program_of_long_names_is_not_shown(
    open_page: Open, long_named: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "LONGEST_PROGRAM", LONG)
    app = open_page("distributions.py", d=long_named["ratings"])
    app.session_state["show_code"] = True
    app.run()
    assert not app.exception
    assert sum(map(len, sent(app))) < MOST_BYTES
    assert "too long for a page" in sentences(app)


def test_a_report_shows_no_long_name(database: Path, long_named: dict[str, str]) -> None:
    with Store() as store, use_session(Session(store)):
        dataset = store.by_key(long_named["ratings"])
        assert dataset is not None
        made = build_report(dataset, long_named["ratings"], ReportSettings(draws=10))
    assert "x" * LONGEST_ALT not in html(made)
