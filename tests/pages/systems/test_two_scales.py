"""Scores and comparisons of the same systems on "Ranking systems": correlation, contradictions, and what is missing."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from streamlit.testing.v1 import AppTest

from data.store.store import Store
from features.study import Scenario, Session, Study, open_study, use_session
from features.systems.scores_results import ScoresSpec
from features.systems.two_scales import TwoScales, compare_scales
from tests.pages.conftest import figures, sentences, statuses
from tests.pages.programs import ran

Rows = list[tuple[object, ...]]
SYSTEMS = "abcdef"


def rated(systems: str = SYSTEMS, measure: str = "quality") -> Rows:
    """12 topics by 8 raters: each system is half a point better than the next."""
    rng, step = np.random.default_rng(1), 0.5 if measure == "penalty" else -0.5
    return [
        (f"{system}{topic}", system, topic, f"r{rater}", round(step * at + rng.normal(0, 0.6), 2), measure)
        for at, system in enumerate(systems)
        for topic in range(12)
        for rater in range(8)
    ]


def compared(order: str = SYSTEMS) -> Rows:
    """Each pair on 15 items by 6 raters; the earlier in the order wins more often, the more the further apart."""
    rng = np.random.default_rng(2)
    rows: Rows = []
    for at, first in enumerate(order):
        for later, second in enumerate(order[at + 1 :], at + 1):
            for item in range(15):
                for rater in range(6):
                    wins = rng.random() < 1 / (1 + np.exp(-0.6 * (later - at)))
                    rows.append(
                        (f"{first}{second}{item}", f"w{rater}", first if wins else second, first, second)
                    )
    return rows


RATINGS, CHOICES = "item_id,system,topic,rater_id,score,measure", "item_id,rater_id,choice,option_a,option_b"


@pytest.fixture
def scales(add_rows: Callable[..., str]) -> Callable[..., tuple[Study, TwoScales]]:
    def place(ratings: Rows, choices: Rows) -> tuple[Study, TwoScales]:
        keys = add_rows(RATINGS, ratings), add_rows(CHOICES, choices, "choices")
        with Store() as store, use_session(Session(store)):
            rated, of_pairs = (store.by_key(key) for key in keys)
            assert rated is not None
            assert of_pairs is not None
            study = open_study(rated)
            spec = ScoresSpec(study.measures[0])
            return study, compare_scales(study, Scenario(), spec, of_pairs)

    return place


Scales = Callable[..., tuple[Study, TwoScales]]


def test_alike_orders_correlate_and_contradict_nowhere(scales: Scales) -> None:
    _, found = scales(rated(), compared())
    assert found.names == tuple(SYSTEMS)
    by_hand = stats.spearmanr([one.value for one in found.scores], [one.value for one in found.chances])
    assert found.correlation.value == pytest.approx(by_hand.statistic) == pytest.approx(1.0)
    assert found.contradicting == found.differing == []


def test_a_planted_contradiction_is_found(scales: Scales) -> None:
    """By comparisons the best system by scores is the worst."""
    _, found = scales(rated(), compared("bcdefa"))
    assert {found.names[first] for first, _ in found.contradicting} == {"a"}
    assert len(found.contradicting) >= 3
    assert found.correlation.value == pytest.approx(stats.spearmanr(range(6), [5, 0, 1, 2, 3, 4]).statistic)


def test_a_low_penalty_is_a_good_score(scales: Scales) -> None:
    _, found = scales(rated(measure="penalty"), compared())
    assert found.lowest_first
    assert found.correlation.value == pytest.approx(1.0)
    assert not found.differing


def test_systems_of_one_data_set_only_are_named(scales: Scales) -> None:
    _, found = scales(rated("abcdez"), compared("abcdef"))
    assert (found.names, found.left_out) == (tuple("abcde"), ("f", "z"))


def test_the_page_shows_both_scales_and_its_program_has_the_numbers(
    open_page: Callable[..., AppTest],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = []
    for kind, header, rows in (("ratings", RATINGS, rated()), ("choices", CHOICES, compared("bcdefa"))):
        file = tmp_path / f"{kind}.csv"
        file.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]), encoding="utf-8")
        with Store() as store:
            keys.append(store.link(store.add(file, kind, name=file.name).id))
    app = open_page("systems.py", d=keys[0], pairs=keys[1])
    assert not app.exception
    assert "clearly disagree on a and" in sentences(app)
    assert len(figures(app)) == 2
    (table,) = (one.value for one in app.dataframe if "Clear by comparisons" in one.value)
    monkeypatch.chdir(tmp_path)
    results = ran(app, empty=True)
    assert len(results["differing"]) == len(table) == 5
    assert results["rho"].value == pytest.approx(stats.spearmanr(range(6), [5, 0, 1, 2, 3, 4]).statistic)


def test_too_few_systems_in_both_give_no_correlation(
    open_page: Callable[..., AppTest], add_rows: Callable[..., str]
) -> None:
    key = add_rows(RATINGS, rated("abcxyz"))
    pairs = add_rows(CHOICES, compared("abc"), "choices")
    assert "not enough data" in statuses(open_page("systems.py", d=key, pairs=pairs))


def test_comparisons_of_other_systems_are_not_offered(
    open_page: Callable[..., AppTest], add_rows: Callable[..., str]
) -> None:
    key = add_rows(RATINGS, rated())
    pairs = add_rows(CHOICES, compared("uvwxyz"), "choices")
    app = open_page("systems.py", d=key, pairs=pairs)
    assert not app.exception
    assert all(box.label != "Comparisons of these systems" for box in app.selectbox)
