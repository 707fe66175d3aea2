"""Verdicts and tables of one scale of all systems, its position effect, and the scale adjusted for style."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.covariates import StyleEffects, style_effects
from analysis.systems.goodness_of_fit import PairedVotes, goodness_of_fit, position_effect
from analysis.systems.rankings import PairedComparisons
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Finding, Note, Status, Warning
from features.plotting.theme import share
from features.systems.scale_findings import (
    effect_findings,
    effects_table,
    pairs_table,
    position_finding,
    scale_finding,
    scale_remarks,
    style_finding,
    style_remarks,
    style_table,
    systems_table,
)
from features.systems.scale_results import SystemsOnScale
from features.words import plain, printed
from tests.golden.content import numbers_in

SPEC = BootstrapSpec(draws=200)
OUTCOME = {"f": 0, "s": 1, "t": 2}


def votes(results: dict[str, str], forced: tuple[str, ...] = (), itself: int = 0) -> PairedVotes:
    """Return outcomes by pair of one-letter systems: f the first won, s the second, t a tie; an item for each."""
    systems = sorted(set("".join(results)))
    rows = [
        (systems.index(pair[0]), systems.index(pair[1]), OUTCOME[outcome])
        for pair, outcomes in results.items()
        for outcome in outcomes
    ]
    first, second, outcome = np.array(rows, dtype=np.int64).T
    offered = np.ones(len(rows), dtype=np.bool_)
    comparisons = PairedComparisons(first, second, outcome, offered, np.array(systems))
    at = np.arange(len(rows))
    return PairedVotes(comparisons, at, at % 3, forced, itself, at % 2 == 0, at)


def on_scale(data: PairedVotes, drawn: bool = True, raters: bool = False) -> SystemsOnScale:
    scale = fit_comparisons(data.comparisons)
    rater = data.rater if raters else None
    return SystemsOnScale(
        data,
        scale,
        goodness_of_fit(scale),
        sandwich_intervals(data.comparisons, data.item, rater, SPEC) if drawn else None,
        position_effect(data.comparisons, data.first_shown, data.item, rater),
    )


EVEN = votes({"ab": "ffsfst" * 2, "bc": "fsfsft" * 2})
FEW = votes({"ab": "ffsfst", "bc": "fsfsft"})
CLEAR = votes({"ab": "f" * 45 + "s" * 5, "bc": "fs" * 25})
TWO = votes({"ab": "f" * 45 + "s" * 5})
BEST = votes({"ab": "ffsfst", "bc": "fsfsft", "da": "ffff", "dc": "fff"})


def headline(finding: Finding) -> str:
    return plain(finding.headline)


def line(finding: Finding) -> str:
    return plain(finding.evidence)


@pytest.mark.parametrize(
    ("data", "drawn", "status"),
    [
        (CLEAR, True, Status.CLEAR),
        (TWO, True, Status.CLEAR),
        (EVEN, True, Status.UNCERTAIN),
        (CLEAR, False, Status.UNCERTAIN),
        (FEW, False, Status.NOT_ENOUGH_DATA),
        (votes({"ab": "fff", "bc": "fff"}), False, Status.NOT_ENOUGH_DATA),
    ],
)
def test_a_leader_is_clear_only_above_all_others(data: PairedVotes, drawn: bool, status: Status) -> None:
    finding = scale_finding(on_scale(data, drawn), SPEC)
    assert finding.status is status
    assert len(headline(finding).split()) <= 15
    assert (finding.next_step is not None) is (status is Status.NOT_ENOUGH_DATA)


def test_the_evidence_is_of_the_leader() -> None:
    found = on_scale(CLEAR, raters=True)
    leader = found.scale.order[0]
    chance = found.chances["a"]
    told = line(scale_finding(found, SPEC))
    assert found.scale.systems[leader] == "a"
    assert share(chance.value) in told
    assert f"95% CI {100 * chance.low:.0f}–{100 * chance.high:.0f}%" in told
    assert (
        "2 of 3 pairs differ · in 50 of 100 comparisons · 3 raters · 1 pair never compared directly" in told
    )
    assert told.endswith("raters like these")
    assert line(scale_finding(on_scale(CLEAR), SPEC)).endswith("for these raters")
    assert "CI" not in line(scale_finding(on_scale(CLEAR, drawn=False), SPEC))


def test_a_leader_that_some_may_equal_is_reported_with_their_number() -> None:
    found = on_scale(CLEAR)
    assert found.intervals is not None
    first, *others = found.scale.order.tolist()
    above = np.zeros((3, 3), dtype=np.bool_)
    none = replace(found, intervals=replace(found.intervals, above=above.copy()))
    assert headline(scale_finding(none, SPEC)) == "No two systems clearly differ."
    assert line(scale_finding(none, SPEC)).startswith(f"First: {found.scale.systems[first]} · wins ")
    above[first, others[1]] = True
    one = replace(found, intervals=replace(found.intervals, above=above))
    finding = scale_finding(one, SPEC)
    assert finding.status is Status.UNCERTAIN
    assert str(found.scale.systems[others[0]]) in headline(finding).split(", ")[1].split()
    assert "1 of 3 pairs differ" in line(finding)


def test_nobody_is_best_on_a_handful_of_comparisons() -> None:
    told = line(scale_finding(on_scale(FEW, drawn=False), SPEC))
    assert {6, 10} <= {*numbers_in(told)}


def test_a_system_never_beaten_has_no_place_and_its_reason() -> None:
    found = on_scale(BEST)
    assert headline(scale_finding(found, SPEC)).startswith("Apart from unbeaten d, ")
    (why,) = [plain(each.text) for each in scale_remarks(found) if "No strength" in each.text[0]]
    assert why.startswith("No strength for d")
    table = systems_table(found)
    assert table.frame["System"].tolist()[0] == "d"
    assert table.frame["Cluster"].tolist()[0] == "above the scale"
    assert table.frame["Share won"].tolist()[0] == 1
    assert table.frame[["Chance", "Rank", "Strength from", "Rank"]].iloc[0].isna().all()
    row = printed((table.frame, table.formats), table.columns_at_first_sight).rows[0]
    assert row[:3] == ("d", "–¹", "–¹")


def test_the_table_holds_what_was_found() -> None:
    found = on_scale(CLEAR)
    drawn, order = found.intervals, found.scale.order
    assert drawn is not None
    table = systems_table(found).frame
    assert table["Chance"].tolist() == found.scale.chance[order].tolist()
    assert table["Chance from"].tolist() == drawn.chance_low[order].tolist()
    assert table["Strength to"].tolist() == drawn.high[order].tolist()
    assert table["Rank"].tolist() == [1, 2, 3]
    assert table["Comparisons"].tolist() == [50, *([100, 50] if order[1] == 1 else [50, 100])]
    assert list(systems_table(found).formats["Rank"]) == ["1", "2 (2 to 3)", "3 (2 to 3)"]
    without = systems_table(on_scale(CLEAR, drawn=False)).formats
    assert not any("(" in cell for cell in without["Chance"])


def test_pairs_are_reported_with_their_results() -> None:
    pairs = pairs_table(on_scale(CLEAR), SPEC).frame
    differ = pairs.set_index(["First", "Second"])["Differ"].to_dict()
    assert [differ["a", "b"], differ["a", "c"]] == ["yes", "yes"]
    assert differ[pairs["First"][2], pairs["Second"][2]] == "no"
    assert pairs["Share of the first"][pairs["Comparisons"] == 50].tolist()[0] == pytest.approx(0.9)
    assert pairs_table(on_scale(CLEAR, drawn=False), SPEC).frame["Difference from"].isna().all()
    assert "90% CI" in pairs_table(on_scale(CLEAR), BootstrapSpec(level=0.9)).caption[0]


def test_position_is_clear_where_chance_does_not_explain_it() -> None:
    data = votes({"ab": "ff" * 20 + "fs" * 10, "bc": "sf" * 30})
    found = on_scale(data)
    effect = found.position
    assert effect is not None

    def finding(value: float, low: float, high: float, p: float) -> Finding:
        factor = Estimate(value, low, high, 120)
        return position_finding(found.scale, replace(effect, factor=factor, p=p), SPEC)

    more, less, neither = (
        finding(1.5, 1.2, 1.9, 0.001),
        finding(0.6, 0.4, 0.9, 0.01),
        finding(1.1, 0.8, 1.4, 0.4),
    )
    assert [one.status for one in (more, less, neither)] == [Status.CLEAR, Status.CLEAR, Status.UNCERTAIN]
    assert "more often" in headline(more)
    assert "less often" in headline(less)
    assert line(neither) == "Odds ratio 1.10 · 95% CI 0.80–1.40 · p = .400 · 120 comparisons"
    assert numbers_in(line(more))[:5] == [1.5, 95, 1.2, 1.9, 120]
    assert line(more).count("·") > line(neither).count("·")
    undefined = replace(effect, factor=Estimate(nan, reason="no pair changed places"))
    finding_of_none = position_finding(found.scale, undefined, SPEC)
    assert finding_of_none.status is Status.NOT_ENOUGH_DATA
    assert line(finding_of_none) == "No pair changed places"
    assert systems_table(found).frame["Strength without position"].tolist() == (
        effect.strength[found.scale.order].tolist()
    )
    assert "Strength without position" not in systems_table(replace(found, position=undefined)).frame


def test_notes_tell_votes_ties_and_designs_without_them() -> None:
    data = votes({"ab": "ffst"}, forced=("2-choice",), itself=2)
    remarks = list(scale_remarks(on_scale(data, drawn=False)))
    told = next(plain(each.text) for each in remarks if isinstance(each, Note))
    assert told.startswith("4 votes on 2 systems, 1 tie: ")
    assert told.endswith("2-choice offered no tie.")
    untied = list(scale_remarks(on_scale(votes({"ab": "ffs"}), drawn=False)))
    assert "tie" not in next(plain(each.text) for each in untied if isinstance(each, Note))
    warned = [plain(each.text) for each in remarks if isinstance(each, Warning)]
    assert any(each.startswith("2 rows compare a system with itself") for each in warned)


def test_a_scale_that_does_not_fit_is_warned_of() -> None:
    found = on_scale(CLEAR)
    fits, misfit = (
        replace(found, fit=replace(found.fit, p=p, statistic=9.0, degrees=2)) for p in (0.2, 0.01)
    )
    kinds = [{type(one) for one in scale_remarks(of) if "p = " in plain(one.text)} for of in (fits, misfit)]
    assert kinds == [{Note}, {Warning}]


def style_votes(
    effect: float, seed: int = 0, n: int = 3000
) -> tuple[PairedComparisons, dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Return votes on three systems: `brief` is best, `wordy` writes four times as much and is worst."""
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


def adjusted(effect: float, more: bool = False, n: int = 3000) -> StyleEffects:
    met, style, item = style_votes(effect, n=n)
    if more:
        headings = np.random.default_rng(9).poisson(3, (2, len(met))).astype(float)
        style["header_count"] = headings[0], headings[1]
    return style_effects(met, style, item, None, SPEC)


def test_who_ranks_first_when_adjusted_and_what_length_brings() -> None:
    style = adjusted(3.0)
    finding = style_finding(style, SPEC)
    assert "brief ranks first instead of wordy" in headline(finding)
    assert finding.status is Status.CLEAR
    assert "3 of 3 systems change rank" in line(finding)
    (first, second) = style_votes(3.0)[1]["length"]
    unit = float(np.sqrt((((first - second) / (first + second)) ** 2).mean()))
    wins = 100 / (1 + np.exp(-style.effect[0].value / 3 / unit))
    (of_length,) = effect_findings(style, SPEC)
    assert of_length.status is Status.CLEAR
    assert f"wins {wins:.0f}%" in headline(of_length)
    assert "p < .001 · 3,000 comparisons" in line(of_length)


def test_where_length_does_not_help_nothing_changes() -> None:
    style = adjusted(0.0)
    finding = style_finding(style, SPEC)
    assert "brief still ranks first" in headline(finding)
    assert "0 of 3 systems change rank" in line(finding)
    assert next(effect_findings(style, SPEC)).status is Status.UNCERTAIN


def test_a_first_when_adjusted_is_clear_only_above_all_others() -> None:
    few = adjusted(3.0, n=60)
    lowest = few.intervals.rank_high[few.adjusted.order[0]]
    assert lowest > 1
    finding = style_finding(few, SPEC)
    assert finding.status is Status.UNCERTAIN
    assert f"rank 1–{lowest}" in line(finding)


def test_each_number_has_its_own_finding() -> None:
    style = adjusted(3.0, more=True)
    assert "length and header count" in headline(style_finding(style, SPEC))
    findings = list(effect_findings(style, SPEC))
    assert "header count" in headline(findings[1])
    assert len({finding.name for finding in findings}) == 2


@pytest.mark.parametrize(
    ("p", "status"), [(0.01, Status.CLEAR), (0.2, Status.UNCERTAIN), (nan, Status.UNCERTAIN)]
)
def test_an_effect_is_clear_where_chance_does_not_explain_it(p: float, status: Status) -> None:
    (finding,) = effect_findings(replace(adjusted(3.0), p=np.array([p])), SPEC)
    assert finding.status is status


def test_the_tables_hold_both_scales_and_the_effects() -> None:
    style = adjusted(3.0)
    systems, effects = style_table(style), effects_table(style)
    table = systems.frame
    assert table["System"].tolist()[0] == "brief"
    assert table["Adjusted rank"].tolist() == [1, 2, 3]
    assert sorted(table["Rank without"]) == [1, 2, 3]
    assert table["Rank without"].tolist() != [1, 2, 3]
    assert table["Adjusted chance"].tolist() == style.adjusted.chance[style.adjusted.order].tolist()
    assert table["Adjusted strength from"].notna().all()
    assert effects.frame["Style"].tolist() == ["length"]
    assert effects.frame["Wins with twice as much"][0] == style.twice[0].value
    assert effects.frame["Comparisons"][0] == 3000


def test_what_lacks_a_number_is_counted() -> None:
    met, style, item = style_votes(3.0)
    style["length"][0][:40] = np.nan
    told = [plain(each.text) for each in style_remarks(style_effects(met, style, item, None, SPEC))]
    assert told[0].startswith("40 of 3,000 comparisons lack a number of an output")


def test_a_style_that_is_the_systems_own_cannot_be_adjusted_for() -> None:
    met, _, item = style_votes(0.0)
    own = np.array([100.0, 200.0, 400.0])
    style = style_effects(met, {"{length}": (own[met.first], own[met.second])}, item, None, SPEC)
    finding = style_finding(style, SPEC)
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert "{length}" in headline(finding)
    assert line(finding).lower() == style.reason


def test_of_one_item_there_are_no_intervals() -> None:
    met, style, _ = style_votes(3.0)
    one = style_effects(met, style, np.zeros(len(met)), None, SPEC)
    assert "only one item" in plain(next(style_remarks(one)).text)
    assert "CI" not in line(next(effect_findings(one, SPEC)))
    effects = effects_table(one)
    assert effects.frame["Effect from"].isna().all()
