"""Crowd vs lab on real ratings and on odd ones: systems, ceiling, spread and warnings beside order and level."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]
FEW = {"draws": "40", "permutations": "99"}


@pytest.mark.parametrize("candidate", ["crowd_clickworker_de", "crowd_mturk_es"])
def test_the_speech_study_has_its_systems_its_ceiling_and_its_spread(
    open_page: Open, add_study: Callable[..., str], shared_data: Path, candidate: str
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    app = open_page("crowd_vs_lab.py", d=key, candidate=candidate, picture="Differences", **FEW)
    said = sentences(app)
    assert "Over the means of 50 systems, ρ is 0." in said
    assert "A candidate without error could correlate with lab up to 0.99 (" in said
    assert f"Without chance, {candidate} spreads the items " in said
    assert "Raw slope of the differences on the means: overall_quality" in said
    assert "as wide as the variance over 50 systems with all their items and raters" in said
    assert "fewer than 8" not in said
    table = app.dataframe[0].value
    assert list(table)[:6] == [
        "Measure",
        "Items",
        "Spearman ρ",
        "ρ over systems",
        "Ceiling",
        "Corrected r",
    ]


def rows(lab: int, systems: int) -> list[tuple[object, ...]]:
    """24 items rated by 6 of the crowd and some of the lab."""
    return [
        (f"i{i}", f"{group}{r}", group, f"s{i % systems}", (i + r * (i % 3)) % 5 + 1)
        for group, raters in (("crowd", 6), ("lab", lab))
        for i in range(24)
        for r in range(raters)
    ]


HEADER = "item,rater,group,system,score"


def test_few_raters_and_few_systems_are_warned_of(open_page: Open, add_rows: Callable[..., str]) -> None:
    app = open_page("crowd_vs_lab.py", d=add_rows(HEADER, rows(3, 3)), candidate="crowd", **FEW)
    said = sentences(app)
    assert "lab has 3 raters, fewer than 5" in said
    assert "the items belong to 3 systems, fewer than 8" in said
    assert "items (3 systems held as they are, being fewer than 8)" in said


def test_a_single_reference_rater_is_told_and_the_difference_has_no_interval(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    app = open_page("crowd_vs_lab.py", d=add_rows(HEADER, rows(1, 12)), candidate="crowd", **FEW)
    said = sentences(app)
    assert "lab has a single rater" in said
    assert "No interval of Mean difference (score): the reference has a single rater" in said
    assert "No Ceiling (score): fewer than 3 items were rated by two different people on each side." in said


def test_a_column_of_numbers_has_no_mos(open_page: Open) -> None:
    app = open_page("crowd_vs_lab.py", reference="summary_words (column)", measures="focus")
    titles = {note["text"] for figure in figures(app) for note in figure["layout"].get("annotations", ())}
    assert {"summary_words", "MOS of crowd"} <= titles
    assert "MOS of summary_words" not in titles
