"""Agreement between raters: by hand, against loops over pairs with statsmodels, in draws spelled out, laws."""

from itertools import combinations
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from analysis.relevance import rater_pairs
from analysis.relevance.judgments import Judgments
from analysis.relevance.rater_pairs import agreement_between_raters
from analysis.values.estimate import BootstrapSpec
from tests.analysis.relevance.relevance_studies import (
    ANGLES,
    HEADLINE,
    PLAIN,
    TEXT,
    by_hand,
    random_study,
    slow_interval,
    spelled_out,
)

NONE = BootstrapSpec(draws=0)
FEW = BootstrapSpec(draws=25, seed=3)


def test_a_study_worked_by_hand():
    # headline: p 1 0 0 1 1 1, q 1 0 1 0 0 0: alike on A1 and A2, 2 of 6; P_E = (4 x 2 + 2 x 4)/36 = 4/9
    # kappa = (1/3 - 4/9)/(5/9) = -1/5. Full text: p 1 1 0 1 1 0, q 1 0 0 1 0 0: 4 of 6; P_E = 4/9, kappa 2/5
    found = agreement_between_raters(Judgments(**by_hand()), bootstrap=NONE)
    headline, text = found.surrogates[HEADLINE], found.surrogates[TEXT]
    assert (headline.agreement.value, headline.agreement.n) == (pytest.approx(1 / 3), 6)
    assert headline.kappa.value == pytest.approx(-1 / 5)
    assert (text.agreement.value, text.kappa.value) == pytest.approx((2 / 3, 2 / 5))
    assert (headline.pairs, headline.undefined_pairs, headline.repeated, headline.kappa.n) == (1, 0, 0, 1)


def firsts(study):
    """Rows of the first judgment of each rater, document and surrogate."""
    seen, rows = set(), []
    for row in np.argsort(study["order"]).tolist():
        key = tuple(int(study[name][row]) for name in ("rater", "event", "document", "surrogate"))
        if key not in seen:
            seen.add(key)
            rows.append(row)
    return np.array(rows, dtype=int)


def slow(study, rows, copies, surrogate):
    """Mean kappa, share of equal pairs, pairs, undefined pairs, pairs of judgments; copies of a rater are no pair."""
    inside = [
        (row, copy) for row, copy in zip(rows, copies, strict=True) if study["surrogate"][row] == surrogate
    ]
    people = sorted({(int(study["rater"][row]), int(copy)) for row, copy in inside})
    judged = {who: {} for who in people}
    for row, copy in inside:
        document = int(study["event"][row]), int(study["document"][row])
        judged[int(study["rater"][row]), int(copy)].setdefault(document, []).append(study["judgment"][row])
    kappas, equal, compared, pairs = [], 0, 0, 0
    for one, other in combinations(people, 2):
        if one[0] == other[0]:
            continue
        table = np.zeros((2, 2))
        for document in judged[one].keys() & judged[other].keys():
            for first, second in zip(judged[one][document], judged[other][document], strict=True):
                table[int(first), int(second)] += 1
        if table.sum():
            pairs += 1
            equal, compared = equal + table.trace(), compared + table.sum()
            if max(table[0, 0], table[1, 1]) < table.sum():
                kappas.append(cohens_kappa(table, return_results=False))
    kappa = sum(kappas) / len(kappas) if kappas else nan
    return kappa, equal / compared if compared else nan, pairs, pairs - len(kappas), compared


@given(some.integers(0, 10**6), some.integers(1, 5), some.integers(1, 3), some.integers(1, 150))
def test_it_equals_loops_over_pairs_of_raters(seed, raters, events, rows):
    study = random_study(seed, raters, events, rows=rows)
    found = agreement_between_raters(Judgments(**study, surrogates=range(3)), bootstrap=NONE)
    first = firsts(study)
    for place, one in enumerate(found.surrogates):
        kappa, share, pairs, undefined, compared = slow(study, first, np.zeros(len(first)), place)
        assert one.kappa.value == pytest.approx(kappa, nan_ok=True, abs=1e-12)
        assert one.agreement.value == pytest.approx(share, nan_ok=True, abs=1e-12)
        assert (one.pairs, one.undefined_pairs, one.agreement.n) == (pairs, undefined, compared)
        assert one.kappa.n == pairs - undefined
        assert (
            one.repeated == (study["surrogate"] == place).sum() - (study["surrogate"][first] == place).sum()
        )
        assert all(e.defined == (e.reason == "") for e in (one.kappa, one.agreement))


@pytest.mark.parametrize(("seed", "raters", "events"), [(0, 4, 3), (1, 5, 4), (2, 4, 1)])
def test_intervals_are_those_of_draws_spelled_out_row_by_row(seed, raters, events):
    study = random_study(seed, raters, events, rows=160)
    found = agreement_between_raters(Judgments(**study), bootstrap=FEW)
    first = firsts(study)
    unit = (study["event"] * 10 + study["document"] if events == 1 else study["event"])[first]
    drawn = [
        [slow(study, first[rows], copies, place)[:2] for place in range(3)]
        for rows, copies in spelled_out(study["rater"][first], unit, FEW)
    ]
    for place, one in enumerate(found.surrogates):
        for figure, estimate in enumerate((one.kappa, one.agreement)):
            values = [draw[place][figure] for draw in drawn]
            scale = ANGLES if figure else PLAIN
            units = len(np.unique(unit))
            ends = slow_interval(estimate.value, values, raters, units, FEW.level, scale)
            ends = ends if figure else (max(ends[0], -1), min(ends[1], 1))
            assert (estimate.low, estimate.high) == pytest.approx(ends, abs=1e-9)
    assert found.resampled.startswith("raters and events" if events > 1 else "raters and documents")


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 10**6), some.randoms())
def test_names_and_the_order_of_rows_change_nothing(seed, random):
    study = random_study(seed)
    plain = agreement_between_raters(Judgments(**study), bootstrap=NONE)
    rows = list(range(len(study["judgment"])))
    random.shuffle(rows)
    mixed = {name: column[rows] for name, column in study.items()}
    for name in ("rater", "event", "document"):
        mixed[name] = np.array([f"{name} {9 - code}" for code in mixed[name].tolist()])
    for one, other in zip(
        plain.surrogates, agreement_between_raters(Judgments(**mixed), bootstrap=NONE).surrogates, strict=True
    ):
        assert (one.pairs, one.undefined_pairs) == (other.pairs, other.undefined_pairs)
        assert one.agreement.value == other.agreement.value
        assert one.kappa.value == pytest.approx(other.kappa.value, nan_ok=True, abs=1e-12)


def test_raters_who_always_agree_have_agreement_and_kappa_of_one():
    study = random_study(4)
    whole = np.random.default_rng(0).integers(0, 2, (3, 4)).astype(float)
    study["judgment"] = whole[study["event"], study["document"]]
    for one in agreement_between_raters(Judgments(**study), bootstrap=FEW).surrogates:
        assert one.agreement.value == one.agreement.high == 1
        assert 0 < one.agreement.low < 1
        assert one.kappa.value == pytest.approx(1)
        assert isnan(one.kappa.low)
        assert "no interval" in one.kappa.reason


def test_one_answer_throughout_has_no_kappa():
    study = random_study(4)
    study["judgment"][:] = 1
    for one in agreement_between_raters(Judgments(**study), bootstrap=FEW).surrogates:
        assert one.agreement.value == 1
        assert one.kappa.reason == rater_pairs.NO_KAPPA
        assert one.undefined_pairs == one.pairs > 0


def test_one_rater_is_no_pair_and_a_surrogate_may_have_no_judgment():
    study = random_study(4, raters=1)
    found = agreement_between_raters(Judgments(**study, surrogates=range(4)))
    assert found.surrogates[0].agreement.reason == found.surrogates[0].kappa.reason == rater_pairs.NO_PAIRS
    assert found.surrogates[3].agreement.reason == rater_pairs.NO_JUDGMENT
    empty = np.array([], dtype=int)
    assert agreement_between_raters(Judgments(*[empty] * 5, surrogates=[0])).surrogates[0].pairs == 0


def test_two_raters_of_one_document_each_have_wilsons_interval():
    found = agreement_between_raters(Judgments([1, 2], [1, 1], [1, 1], [0, 0], [1, 1]), FEW).surrogates[0]
    assert (found.agreement.low, found.agreement.high) == pytest.approx(
        proportion_confint(1, 1, method="wilson")
    )


def test_too_many_pairs_leave_the_interval_out(monkeypatch):
    monkeypatch.setattr(rater_pairs, "MOST_PAIR_DRAWS", 0)
    found = agreement_between_raters(Judgments(**random_study(4)), bootstrap=FEW).surrogates[0]
    assert found.kappa.defined
    assert found.kappa.reason == found.agreement.reason == rater_pairs.TOO_MANY


def test_the_papers_design_has_ten_pairs_of_raters_for_each_system():
    # Sections 4.2 and 4.3: 20 raters in 10 groups of two; each group judges 20 topics of 20 documents, two topics for
    # each of 10 systems (a Latin square); 40 judgments for each system and topic, 800 for each system, 8,000 in all
    group, topic, document, one = (
        each.ravel() for each in np.meshgrid(*map(np.arange, (10, 20, 20, 2)), indexing="ij")
    )
    system = (group + topic) % 10
    judged = np.random.default_rng(0).integers(0, 2, len(group))
    assert len(group) == 8000
    assert set(np.bincount(system)) == {800}
    assert set(np.bincount(system * 20 + topic).tolist()) == {40}
    found = agreement_between_raters(
        Judgments(group * 2 + one, topic, document, system, judged), BootstrapSpec(20)
    )
    assert {each.pairs for each in found.surrogates} == {10}
    assert {each.agreement.n for each in found.surrogates} == {400}


def test_progress_runs_up_to_one():
    told = []
    agreement_between_raters(Judgments(**random_study(4)), on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
