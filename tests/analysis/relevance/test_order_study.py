"""Equal judgments between presentations: by hand, against loops, intervals, reasons."""

from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from statsmodels.stats.proportion import proportion_confint

from analysis.relevance import tukey
from analysis.relevance.judgments import Judgments
from analysis.relevance.tukey import same_judgments
from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.values.estimate import BootstrapSpec, InputError
from tests.analysis.relevance.relevance_studies import ANGLES, slow_interval

NONE = BootstrapSpec(draws=0)
FEW = BootstrapSpec(draws=40, seed=2)


def by_hand():
    """One rater, three documents shown as D1, S2 and D2; the third was not shown as D2.

    document  D1 S2 D2     S2 = D2    D1 = D2    D1 = S2
    x         1  1  1      yes        yes        yes
    y         0  1  0      no         yes        no
    z         1  1  .      .          .          yes
    """
    shown = [
        ("x", "D1", 1),
        ("x", "S2", 1),
        ("x", "D2", 1),
        ("y", "D1", 0),
        ("y", "S2", 1),
        ("y", "D2", 0),
        ("z", "D1", 1),
        ("z", "S2", 1),
    ]
    document, presentation, judgment = (np.array(column) for column in zip(*shown, strict=True))
    n = len(shown)
    return ["D1S2D2"] * n, presentation, ["u"] * n, ["e"] * n, document, judgment


def judged(order_label, presentation, rater, event, document, judgment, order=None):
    return Judgments(
        rater, event, document, np.zeros(len(document), dtype=int), judgment, order=order, order_label=order_label,
        presentation=presentation,
    )  # fmt: skip


def test_a_study_worked_by_hand():
    found = same_judgments(judged(*by_hand()), bootstrap=FEW)
    assert list(found.pairs) == [("D1S2D2", "D1", "S2"), ("D1S2D2", "D1", "D2"), ("D1S2D2", "S2", "D2")]
    primed, repeated = found.pairs["D1S2D2", "S2", "D2"], found.pairs["D1S2D2", "D1", "D2"]
    assert (primed.share.value, primed.same, primed.changed, primed.share.n, primed.lacking) == (
        0.5,
        1,
        1,
        2,
        1,
    )
    assert (repeated.share.value, repeated.lacking) == (1, 1)
    assert found.pairs["D1S2D2", "D1", "S2"].share.value == pytest.approx(2 / 3)
    assert {pair.interval for pair in found.pairs.values()} == {tukey.WILSON}
    assert (primed.share.low, primed.share.high) == pytest.approx(proportion_confint(1, 2, method="wilson"))
    assert (found.repeated, found.unlabelled) == (0, 0)


def random_study(seed, raters=3, rows=120):
    rng = np.random.default_rng(seed)
    return {
        "order_label": np.array(["", "D1S2D2", "S1D1D2"])[rng.integers(0, 3, rows)],
        "presentation": np.array(["", "D1", "D2", "S1", "S2"])[rng.integers(0, 5, rows)],
        "rater": rng.integers(0, raters, rows),
        "event": rng.integers(0, 2, rows),
        "document": rng.integers(0, 4, rows),
        "judgment": rng.integers(0, 2, rows),
        "order": rng.permutation(rows),
    }


def slow(study):
    """(label, {presentation, presentation}) -> by rater [equal, compared], lacking; and rows set aside."""
    judged, repeated, unlabelled = {}, 0, 0
    for row in np.argsort(study["order"]).tolist():
        label, shown, *text = (
            study[name][row].item() for name in ("order_label", "presentation", "rater", "event", "document")
        )
        if not label or not shown:
            unlabelled += 1
        elif shown in judged.setdefault((label, *text), {}):
            repeated += 1
        else:
            judged[label, *text][shown] = study["judgment"][row]
    found = {}
    for label in {key[0] for key in judged}:
        own = {key: value for key, value in judged.items() if key[0] == label}
        names = sorted({shown for value in own.values() for shown in value})
        for one, other in combinations(names, 2):
            by_rater, lacking = {}, 0
            for key, value in own.items():
                if one in value and other in value:
                    count = by_rater.setdefault(key[1], [0, 0])
                    count[0] += value[one] == value[other]
                    count[1] += 1
                else:
                    lacking += (one in value) or (other in value)
            found[label, frozenset((one, other))] = by_rater, lacking
    return found, repeated, unlabelled


@given(some.integers(0, 10**6), some.integers(1, 9), some.integers(1, 150))
def test_it_equals_loops_over_documents_and_its_interval_draws_spelled_out(seed, raters, rows):
    study = random_study(seed, raters, rows)
    found = same_judgments(judged(**study), bootstrap=FEW)
    expected, repeated, unlabelled = slow(study)
    assert (found.repeated, found.unlabelled) == (repeated, unlabelled)
    assert {(label, frozenset(pair)) for label, *pair in found.pairs} == set(expected)
    for (label, *pair), one in found.pairs.items():
        by_rater, lacking = expected[label, frozenset(pair)]
        same, n = (sum(count[place] for count in by_rater.values()) for place in (0, 1))
        assert (one.same, one.share.n, one.lacking, one.raters) == (same, n, lacking, len(by_rater))
        if n == 0:
            assert one.share.reason == tukey.NO_PAIRS
            assert isnan(one.share.value)
            continue
        assert one.share.value == same / n
        assert one.share.low <= one.share.value <= one.share.high
        if len(by_rater) < tukey.FEWEST_RATERS:
            assert one.interval == tukey.WILSON
            continue
        assert one.interval == "bootstrap over raters"
        counts = [by_rater[rater] for rater in sorted(by_rater)]
        drawn = [
            sum(w * c[0] for w, c in zip(draw, counts, strict=True))
            / sum(w * c[1] for w, c in zip(draw, counts, strict=True))
            for weights, _ in crossed_bootstrap_counts(len(counts), 1, FEW.draws, FEW.seed)
            for draw in weights
        ]
        if np.ptp(drawn) < 1e-12:
            ends = proportion_confint(same, n, method="wilson")
        else:
            ends = slow_interval(same / n, drawn, len(counts), 1, FEW.level, ANGLES)
        low, high = ends
        assert one.share.low == pytest.approx(min(low, one.share.value), abs=1e-9)
        assert one.share.high == pytest.approx(max(high, one.share.value), abs=1e-9)


def test_a_rater_who_never_changes_the_mind_gives_one():
    study = random_study(1)
    study["judgment"] = study["document"] % 2
    for one in same_judgments(judged(**study), bootstrap=FEW).pairs.values():
        assert one.share.value == one.share.high == 1
        assert one.share.low < 1
        assert one.changed == 0


@settings(max_examples=10, deadline=None)
@given(some.integers(0, 10**6), some.randoms())
def test_the_order_of_rows_changes_nothing_where_the_order_is_stored(seed, random):
    study = random_study(seed)
    rows = list(range(120))
    random.shuffle(rows)
    mixed = {name: column[rows] for name, column in study.items()}
    assert str(same_judgments(judged(**mixed), bootstrap=FEW)) == str(
        same_judgments(judged(**study), bootstrap=FEW)
    )


def test_codes_and_missing_names_do_as_well():
    label, shown, *rest = by_hand()
    names = np.unique(shown)
    coded = same_judgments(judged(np.zeros(8, dtype=int), np.searchsorted(names, shown), *rest), NONE)
    assert coded.pairs[0, 1, 2].share.value == 0.5
    some_lack = same_judgments(judged([None, *label[1:]], shown, *rest), NONE)
    assert some_lack.unlabelled == 1
    assert some_lack.pairs["D1S2D2", "D1", "D2"].lacking == 2
    none = same_judgments(judged(np.full(8, -1), np.searchsorted(names, shown), *rest))
    assert (none.pairs, none.unlabelled) == ({}, 8)


def test_one_presentation_has_no_pair_and_no_rows_none_either():
    label, _, *rest = by_hand()
    assert same_judgments(judged(label, ["D1"] * 8, *rest)).pairs == {}
    empty = np.array([], dtype=int)
    assert same_judgments(judged(*[empty] * 6)).pairs == {}


def test_progress_runs_up_to_one():
    told = []
    same_judgments(judged(**random_study(0)), bootstrap=FEW, on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1


def test_bad_input_is_reported():
    label, shown, *rest = by_hand()
    with pytest.raises(InputError, match="`presentation` must have one id per judgment, 8"):
        same_judgments(judged(label, shown[:3], *rest))
    with pytest.raises(InputError, match="`judgment` must be 0 or 1"):
        same_judgments(judged(label, shown, *rest[:3], np.full(8, 0.5)))
