"""What is said of a scale with style taken out, and its tables."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.systems.clustered_intervals import clustered
from analysis.systems.covariates import StyleEffects, style_effects
from analysis.systems.paired_comparisons import PairedComparisons
from analysis.values.estimate import BootstrapSpec
from features.blocks import Status
from findings.systems.style import ASIDE, effects_table, finding, notes, of_effect, remarks, systems_table
from tests.findings.studies import said

SPEC = BootstrapSpec(draws=200)


def votes(
    effect: float, seed: int = 0, n: int = 3000
) -> tuple[PairedComparisons, dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Votes on three systems: `brief` is best, `wordy` writes four times as much and is worst; longer ones may win."""
    rng = np.random.default_rng(seed)
    names = np.array(["brief", "plain", "wordy"])
    strength, longer = np.array([0.5, 0.0, -0.5]), np.array([0.0, 0.0, np.log(4)])
    first = rng.integers(0, 3, n)
    second = (first + rng.integers(1, 3, n)) % 3
    length = [np.exp(5 + longer[of] + rng.normal(0, 0.7, n)) for of in (first, second)]
    gap = strength[first] - strength[second] + effect * (length[0] - length[1]) / (length[0] + length[1])
    outcome = (rng.random(n) > 1 / (1 + np.exp(-gap))).astype(np.int64)
    met = PairedComparisons(first, second, outcome, np.zeros(n, dtype=np.bool_), names)
    return met, {"length": (length[0], length[1])}, rng.integers(0, 300, n)


def found(effect: float, more: bool = False) -> tuple[StyleEffects, PairedComparisons, np.ndarray]:
    met, style, item = votes(effect)
    if more:
        rng = np.random.default_rng(9)
        headings = rng.poisson(3, (2, len(met))).astype(float)
        style["header_count"] = headings[0], headings[1]
    return style_effects(met, style, item, None, SPEC), met, item


def test_who_comes_first_without_what_length_brought_it() -> None:
    style, _, _ = found(3.0)
    told = said(finding(style))
    assert told.startswith(
        "With the effect of length taken out, <b>brief</b> comes first, and no longer wordy, surely above all "
        "others; 3 of 3 systems change places."
    )
    wins = 100 / (1 + np.exp(-style.effect[0].value / 3 / unit(style)))
    assert f"With twice the length, an output wins <b>{wins:.0f} %</b> (" in told
    assert told.endswith("(p < .001).")


def unit(style: StyleEffects) -> float:
    _, told, _ = votes(3.0)
    first, second = told["length"]
    return float(np.sqrt((((first - second) / (first + second)) ** 2).mean()))


def test_where_length_does_not_help_nothing_is_said_to() -> None:
    style, _, _ = found(0.0)
    told = said(finding(style))
    assert "<b>brief</b> still comes first, surely above all others; none of 3 systems change places" in told
    assert "Whether more length helps <b>cannot be told</b>" in told


def test_who_comes_first_by_chance_is_not_said_to_surely() -> None:
    met, style, item = votes(3.0, n=60)
    few = style_effects(met, style, item, None, SPEC)
    lowest = few.intervals.rank_high[few.adjusted.order[0]]
    assert lowest > 1
    assert f"though not surely (it may rank {lowest})" in said(finding(few))


def test_what_else_was_chosen_is_told_below_and_what_taking_out_does_not_say() -> None:
    style, _, _ = found(3.0, more=True)
    told = [said(sentence) for sentence in notes(style)]
    assert "With the effect of length and header count taken out" in said(finding(style))
    assert "header count" in told[0]
    assert "no fairer in itself" in told[-1]
    assert len(told) == 2


def test_the_table_holds_both_scales_and_the_effects() -> None:
    style, met, item = found(3.0)
    plain = clustered(met, item, None, SPEC)
    table, _ = systems_table(style, plain, SPEC)
    assert table["System"].tolist()[0] == "brief"
    assert table[f"Place{ASIDE}"].tolist() == [1, 2, 3]
    assert sorted(table["Place"]) == [1, 2, 3]
    assert table["Place"].tolist() != [1, 2, 3]
    assert table["Chance"].tolist() != table[f"Chance{ASIDE}"].tolist()
    assert all(" to " in cell for cell in table[f"Strength{ASIDE}, 95 %"])
    effects, _ = effects_table(style, SPEC)
    assert effects["Style"].tolist() == ["length"]
    assert effects["Twice as much wins"][0] == style.twice[0].value
    assert effects["Comparisons"][0] == len(met)


def test_what_lacks_a_number_is_counted() -> None:
    met, style, item = votes(3.0)
    style["length"][0][:40] = np.nan
    told = style_effects(met, style, item, None, SPEC)
    assert [said(sentence) for sentence in remarks(told)] == [
        "40 of 3\u202f000 comparisons lack a number of an output and count on neither scale of this table."
    ]


def test_what_cannot_be_told_from_the_systems_is_said() -> None:
    met, _, item = votes(0.0)
    own = np.array([100.0, 200.0, 400.0])
    told = style_effects(met, {"length": (own[met.first], own[met.second])}, item, None, SPEC)
    assert said(finding(told)) == (
        "The effect of length <b>cannot be taken out</b>: style differs only as the systems do, so the two cannot be "
        "told apart."
    )


def test_without_draws_there_are_no_intervals_and_that_is_said() -> None:
    met, style, _ = votes(3.0)
    one = style_effects(met, style, np.zeros(len(met)), None, SPEC)
    assert "only one item" in said(remarks(one)[0])
    assert "(" not in said(of_effect(one, 0)).replace("(p", "")
    assert effects_table(one, SPEC)[0]["Effect, 95 %"].tolist() == ["–"]


@pytest.mark.parametrize(("p", "told"), [(0.01, "With twice the length"), (0.2, "cannot be told")])
def test_an_effect_is_named_where_chance_does_not_explain_it(p: float, told: str) -> None:
    style, _, _ = found(3.0)
    assert told in said(of_effect(replace(style, p=np.array([p])), 0))


def test_a_first_with_style_aside_is_clear_only_surely_above_all_others() -> None:
    met, told, item = votes(3.0, n=60)
    assert finding(found(3.0)[0]).status is Status.CLEAR
    assert finding(style_effects(met, told, item, None, SPEC)).status is Status.UNCERTAIN
