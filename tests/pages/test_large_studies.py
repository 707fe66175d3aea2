"""Pages of a data set with sums beside its rows show the tables and sentences that they show without."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data.formats.readers import sniff
from data.mapping.proposal import propose
from data.store import sums
from data.store.store import Store
from features import exclusion
from features.blocks import Status
from features.comparison import results as comparison_results
from features.items import results as items_results
from features.raters import consistency_results
from features.systems import scores_results as rankings
from features.systems import scores_section
from tests.pages.conftest import LastFinding, figures, sentences

FEW = {"draws": "20", "permutations": "99", "shuffles": "20"}


@pytest.fixture
def every_study_has_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MIN_ROWS", 10)
    monkeypatch.setattr(sums, "MAX_SHARE", 10.0)


@pytest.fixture(scope="module")
def with_and_without_sums(
    database: Path, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """The keys of 32 items of a study, saved without sums and with them."""
    table = pd.read_csv(shared_data / "speech_mos_lab_vs_crowd.csv")
    table = table[table["item"].isin(table["item"].unique()[:32])]
    keys = []
    for name, least in (("rows", 10**9), ("sums", 10)):
        file = tmp_path_factory.mktemp(name) / "ratings.csv"
        table.assign(of=name).to_csv(
            file, index=False
        )  # another content, so that nothing is taken from the cache
        with pytest.MonkeyPatch.context() as patch, Store() as store:
            patch.setattr(sums, "MIN_ROWS", least)
            patch.setattr(sums, "MAX_SHARE", 10.0)
            saved = store.add(file, "ratings", propose(sniff(file), "ratings").mapping, name)
            assert saved.summed == (name == "sums")
            keys.append(store.link(saved.id))
    return keys


@pytest.mark.parametrize(
    ("page", "asked"),
    [
        ("assessors.py", {"question": "Who agrees with the others"}),
        ("items.py", {}),
        ("items.py", {"items_by": "Possibly faulty"}),
        ("standing_in.py", {}),
        ("crowd_vs_lab.py", {}),
        ("crowd_vs_lab.py", {"picture": "Differences"}),
        ("repetitions.py", {}),
    ],
)
def test_sums_change_nothing_that_is_shown(
    open_page: Callable[..., AppTest],
    with_and_without_sums: list[str],
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    asked: dict[str, str],
) -> None:
    shown = []
    for key, least in zip(with_and_without_sums, (10**9, 10), strict=True):
        monkeypatch.setattr(sums, "MIN_ROWS", least)
        monkeypatch.setattr(sums, "MAX_SHARE", 10.0)
        app = open_page(page, d=key, **FEW, **asked)
        shown.append((sentences(app), [each.value for each in app.dataframe], len(figures(app))))
    (said, frames, drawn), (expected, tables, pictures) = shown
    assert (said, drawn) == (expected, pictures)
    assert len(frames) == len(tables) > 0
    for frame, other in zip(frames, tables, strict=True):
        pd.testing.assert_frame_equal(frame, other, rtol=1e-6)


@pytest.fixture
def systems(add_rows: Callable[..., str]) -> str:
    """The key of a study of three systems in four topics."""
    return add_rows(
        "item,rater,group,score,system,topic",
        [
            (
                f"i{item}",
                f"{group}{rater}",
                group,
                (item * 3 + rater) % 5 + 1,
                f"s{item % 3}",
                f"t{item // 3 % 4}",
            )
            for group in ("crowd", "lab")
            for item in range(24)
            for rater in range(4)
        ],
    )


@pytest.mark.usefixtures("every_study_has_sums")
def test_the_first_picture_of_systems_reads_no_rating(
    open_page: Callable[..., AppTest], systems: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exclusion, "rater_table", None)
    monkeypatch.setattr(rankings, "score_intervals", lambda *_: st.stop())
    app = open_page("systems.py", d=systems)
    assert len(figures(app)) == 1
    assert "ranks first" in sentences(app)


@pytest.mark.usefixtures("every_study_has_sums")
@pytest.mark.parametrize(("most", "told"), [(95, True), (96, False)])
def test_systems_of_very_many_ratings_are_distinguished_on_their_page_alone(
    open_page: Callable[..., AppTest], systems: str, monkeypatch: pytest.MonkeyPatch, most: int, told: bool
) -> None:
    monkeypatch.setattr(scores_section, "MOST_RATINGS_OF_CARD", most)
    if told:
        monkeypatch.setattr(rankings, "score_intervals", None)
    said = sentences(open_page(d=systems))
    assert "3 systems" in said
    assert ("each of 96 ratings" in said) == told
    assert said.count("not tested") == 1 + told  # medians are not tested on any card


@pytest.mark.usefixtures("every_study_has_sums")
def test_the_first_picture_waits_for_no_figure_but_the_order(
    open_page: Callable[..., AppTest],
    add_rows: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    last_finding: LastFinding,
) -> None:
    key = add_rows(
        "item,rater,group,score",
        [
            (f"i{item}", f"{group}{rater}", group, (item * step + rater) % 5 + 1)
            for group, step in (("crowd", 3), ("lab", 2))
            for item in range(12)
            for rater in range(4)
        ],
    )
    monkeypatch.setattr(comparison_results, "comparison", lambda *_, **__: st.stop())
    app = open_page("crowd_vs_lab.py", d=key)
    assert [len(figure["data"]) > 0 for figure in figures(app)] == [True, True]  # correlations and items
    assert last_finding().status in (Status.CLEAR, Status.UNCERTAIN)


@pytest.mark.usefixtures("every_study_has_sums")
def test_raters_of_very_many_ratings_are_screened_where_somebody_asks(
    open_page: Callable[..., AppTest],
    with_and_without_sums: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, key = with_and_without_sums
    whole = open_page("assessors.py", d=key)
    assert not whole.toggle
    monkeypatch.setattr(consistency_results, "MOST_SCREENED", 100)
    app = open_page("assessors.py", d=key)
    assert "Screening reads each of " in sentences(app)
    assert "P.913" in whole.dataframe[0].value
    assert "P.913" not in app.dataframe[0].value
    asked = app.toggle(key="screen").set_value(True).run()
    assert not asked.exception
    for frame, other in zip(asked.dataframe, whole.dataframe, strict=True):
        pd.testing.assert_frame_equal(frame.value, other.value)


@pytest.mark.usefixtures("every_study_has_sums")
def test_faulty_items_of_very_many_ratings_are_searched_for_on_request(
    open_page: Callable[..., AppTest],
    with_and_without_sums: list[str],
    monkeypatch: pytest.MonkeyPatch,
    last_finding: LastFinding,
) -> None:
    _, key = with_and_without_sums
    monkeypatch.setattr(items_results, "MOST_RATINGS", 500)
    look_for = items_results.discrimination
    monkeypatch.setattr(items_results, "discrimination", None)
    app = open_page("items.py", d=key)
    assert last_finding("faults").status is Status.NOT_APPLICABLE
    assert len(app.dataframe) == 1
    monkeypatch.setattr(items_results, "discrimination", look_for)
    open_page("items.py", d=key, items_by="Possibly faulty")
    assert last_finding().status is Status.UNCERTAIN
