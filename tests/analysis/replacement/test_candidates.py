"""Worth of candidates, their shared errors, and scores corrected by a few ratings."""

from collections.abc import Callable
from math import inf, isnan, nan, sqrt
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from analysis.agreement import icc
from analysis.replacement import reference_means
from analysis.replacement.corrected_scores import corrected_score, corrected_scores
from analysis.replacement.effective_number import effective_number_of_raters, shared_errors
from analysis.replacement.reference_means import contrast_variance, leave_one_out_sums, two_way_covariances
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings
from tests.analysis.replacement.studies import by_item, rated


@pytest.mark.parametrize(("raters", "per_item"), [(6, 6), (12, 3)])
def test_an_effective_number_is_the_formula_with_the_iccs(raters: int, per_item: int) -> None:
    """k = rho² / (1 - rho²) (1 - rel) / rel, rho = r / sqrt(rel of the means), written out."""
    rng = np.random.default_rng(1)
    truth, reference = rated(rng, 50, raters, per_item)
    candidate = truth + rng.normal(0, 0.9, 50)
    found = effective_number_of_raters(reference, by_item(candidate))
    forms = icc(reference)
    complete = raters == per_item
    one = forms.consistency if complete else forms.one_way
    several = forms.consistency_k if complete else forms.one_way_k
    rho = np.corrcoef(candidate, reference.mos().means)[0, 1] / sqrt(several.value)
    assert found.value == pytest.approx(rho**2 / (1 - rho**2) * (1 - one.value) / one.value)
    assert found.low < found.value < found.high


def test_one_more_rater_is_worth_about_one() -> None:
    rng = np.random.default_rng(2)
    truth, reference = rated(rng, 3000, 5, 5, severity=0.0)
    assert effective_number_of_raters(
        reference, by_item(truth + rng.normal(0, 0.8, 3000))
    ).value == pytest.approx(1, rel=0.1)


def test_candidates_beyond_all_bounds() -> None:
    rng = np.random.default_rng(3)
    truth, reference = rated(rng, 40, 4, 4)
    assert effective_number_of_raters(reference, by_item(-truth)).value == 0
    means = reference.mos().means
    assert effective_number_of_raters(reference, by_item(means)).value == inf


@pytest.mark.parametrize(
    ("reference", "candidate", "why"),
    [
        (Ratings([1, 1, 2, 2], [1, 2, 1, 2], [1, 2, 2, 3]), {1: 1, 2: 2}, "fewer than 5 items"),
        (Ratings(range(8), range(8), range(8)), by_item(np.arange(8.0)), "no item was rated by two"),
        (
            Ratings([*range(8)] * 2, [1] * 8 + [2] * 8, [*range(8)] * 2),
            by_item(np.arange(8.0)),
            "agree perfectly",
        ),
        (
            Ratings([*range(8)] * 2, [1] * 8 + [2] * 8, [0, 1] * 8),
            dict.fromkeys(range(8), 1.0),
            "agree perfectly",
        ),
    ],
)
def test_an_undefined_number_says_why(reference: Ratings, candidate: dict[int, float], why: str) -> None:
    found = effective_number_of_raters(reference, candidate)
    assert isnan(found.value)
    assert why in found.reason


def test_equal_values_and_equal_items_are_distinguished() -> None:
    rng = np.random.default_rng(4)
    _, reference = rated(rng, 30, 4, 4)
    assert effective_number_of_raters(reference, dict.fromkeys(range(30), 2.0)).reason == (
        "all values of the candidate are equal"
    )
    flat = Ratings([*range(10)] * 2, [1] * 10 + [2] * 10, [0, 1] * 5 + [1, 0] * 5)
    assert "no more than chance" in effective_number_of_raters(flat, by_item(np.arange(10.0))).reason
    with pytest.raises(InputError, match="must be finite"):
        effective_number_of_raters(reference, dict.fromkeys(range(30), inf))


@pytest.mark.parametrize(("raters", "per_item"), [(5, 5), (9, 3)])
def test_sums_without_a_part_are_those_of_the_rest(raters: int, per_item: int) -> None:
    """Reliability and correlation without an item, a rater and a rating, each from the rest by itself."""
    rng = np.random.default_rng(5)
    truth, reference = rated(rng, 20, raters, per_item)
    candidate = by_item(truth + rng.normal(0, 0.5, 20))
    complete = raters == per_item
    if complete:  # as the sums have it: raters' means are taken off once, and stay off
        own = np.array([reference.score[reference.rater == r].mean() for r in range(raters)])
        reference = Ratings(reference.item, reference.rater, reference.score - own[reference.rater])
    sums = leave_one_out_sums(reference, [candidate])

    values = np.array(list(candidate.values())).mean()
    shift = 0.0 if complete else reference.score.mean()
    cases = [(sums.items, at, reference.item != at) for at in (0, 7)]
    cases += [(sums.raters, at, reference.rater != at) for at in (0, raters - 1)]
    order = np.lexsort((reference.rater, reference.item))
    cases += [(sums.ratings, at, np.arange(len(order)) != order[at]) for at in (0, 11)]
    for found, at, kept in cases:
        part = Ratings(reference.item[kept], reference.rater[kept], reference.score[kept] - shift)
        mos = part.mos()
        told = np.array([candidate[one] for one in mos.items.tolist()]) - values
        assert found.n[at] == len(mos.items)
        assert found.variance_of_means()[at] == pytest.approx(mos.means.var(ddof=1))
        assert found.covariance_with_means()[at, 0] == pytest.approx(np.cov(mos.means, told)[0, 1])
        assert found.covariance_of_values()[at, 0, 0] == pytest.approx(told.var(ddof=1))
        if not complete:
            forms = icc(part)
            assert found.reliability[at] == pytest.approx(forms.one_way.value)
            assert found.reliability_of_means[at] == pytest.approx(forms.one_way_k.value)


def test_what_raters_carry_is_never_less_than_nothing() -> None:
    rng = np.random.default_rng(6)
    items, raters, ratings = (rng.normal(0, scale, (rows, 2)) for scale, rows in ((1, 30), (0.1, 5), (1, 90)))
    over_items, by_raters = two_way_covariances(items, raters, ratings)
    assert (np.linalg.eigvalsh(by_raters) >= -1e-12).all()
    alone = contrast_variance(np.array([1.0, 0.0]), (over_items, np.zeros((2, 2))), 30, 5)
    assert alone.variance == pytest.approx(29 / 30 * ((items[:, 0] - items[:, 0].mean()) ** 2).sum())
    assert alone.degrees == pytest.approx(29)


def test_shared_errors_by_hand_and_without_the_references_chance() -> None:
    rng = np.random.default_rng(7)
    truth, reference = rated(rng, 60, 3, 3, severity=0.0)
    candidates = [by_item(truth + rng.normal(0, 0.8, 60)) for _ in range(3)]
    found = shared_errors(reference, candidates)
    means = reference.mos().means
    errors = np.cov([np.array(list(one.values())) - means for one in candidates])
    assert found.raw[0, 1] == pytest.approx(errors[0, 1] / sqrt(errors[0, 0] * errors[1, 1]))
    table = reference.score[np.lexsort((reference.rater, reference.item))].reshape(60, 3)
    left = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    chance = (left**2).sum() / (59 * 2) / 3
    expected = (errors - chance)[0, 1] / sqrt((errors[0, 0] - chance) * (errors[1, 1] - chance))
    assert found.correlations[0, 1] == pytest.approx(expected)
    upper = found.correlations[np.triu_indices(3, 1)]
    assert found.correlation.value == pytest.approx(upper.mean())
    assert found.worth.value == pytest.approx(3 / (1 + 2 * upper.mean()))
    assert found.low[0, 1] < found.correlations[0, 1] < found.high[0, 1]


def test_independent_candidates_only_seem_to_share_errors() -> None:
    """Methods, section 7: r = .34 with 3 reference raters without the correction."""
    rng = np.random.default_rng(8)
    truth, reference = rated(rng, 6000, 3, 3, severity=0.0)
    candidates = [by_item(truth + rng.normal(0, sqrt(0.64 / 3 * 0.66 / 0.34), 6000)) for _ in range(2)]
    found = shared_errors(reference, candidates)
    assert found.raw[0, 1] == pytest.approx(0.34, abs=0.04)
    assert found.correlations[0, 1] == pytest.approx(0, abs=0.06)


def test_undefined_errors_say_why() -> None:
    rng = np.random.default_rng(9)
    truth, reference = rated(rng, 20, 3, 3)
    same = by_item(reference.mos().means)
    assert "no larger than chance" in shared_errors(reference, [same, by_item(truth)]).reason
    assert "fewer than 5 items" in shared_errors(reference, [{1: 1.0}, {2: 1.0}]).reason
    with pytest.raises(InputError, match="two or more"):
        shared_errors(reference, [same])


def test_a_corrected_score_by_hand() -> None:
    """Ten rated of 15 items; the slope by scipy, the variance by loops over the rated items."""
    f = np.array([1, 2, 3, 4, 5, 6, 1, 3, 5, 2, 6, 6, 4, 5, 3], dtype=np.float64)
    y = np.array([1.5, 2.0, 3.5, 4.0, 4.5, 5.5, 2.0, 2.5, 5.0, 1.0, *[nan] * 5])
    found = corrected_score(f, y)
    n, known, rated_f = 10, y[:10], f[:10]
    line = stats.linregress(rated_f, known)
    assert found.weight == pytest.approx(line.slope)
    assert found.tuned.value == pytest.approx(line.intercept + line.slope * f.mean())
    squares = sum((one - rated_f.mean()) ** 2 for one in rated_f)
    left = [b - line.intercept - line.slope * a for a, b in zip(rated_f, known, strict=True)]
    of_model = sum(e**2 for e in left) / 8 * (1 / n + (f.mean() - rated_f.mean()) ** 2 / squares)
    of_hc3 = 0.0
    for a, e in zip(rated_f, left, strict=True):
        leverage = 1 / n + (a - rated_f.mean()) ** 2 / squares
        share = 1 / n + (f.mean() - rated_f.mean()) * (a - rated_f.mean()) / squares
        of_hc3 += (share * e / (1 - leverage)) ** 2
    variance = max(of_model, of_hc3) + line.slope**2 * f.var(ddof=1) / 15
    half = stats.t.ppf(0.975, 8) * sqrt(variance)
    assert (found.tuned.low, found.tuned.high) == pytest.approx(
        (found.tuned.value - half, found.tuned.value + half)
    )
    alone = stats.ttest_1samp(known, 0).confidence_interval()
    assert (found.reference.low, found.reference.high) == pytest.approx((alone.low, alone.high))
    plain = (known - rated_f).var(ddof=1) / n + (2 * np.cov(rated_f, known)[0, 1] - rated_f.var(ddof=1)) / 15
    assert found.plain.value == pytest.approx((known - rated_f).mean() + f.mean())
    assert found.plain.high - found.plain.low == pytest.approx(2 * stats.t.ppf(0.975, 9) * sqrt(plain))
    assert (found.rated, found.items, found.form) == (10, 15, "tuned")


@pytest.mark.parametrize("seed", range(12))
def test_a_corrected_score_is_that_of_the_slow_procedure(
    reference: Callable[[str], ModuleType], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    true, rated_items = rng.normal(0, 1, 60), int(rng.integers(8, 40))
    f, y = (np.clip(np.rint(4 + true + rng.normal(0, 0.7, 60)), 1, 5) for _ in range(2))
    y[rated_items:] = nan
    form, expected, warned = reference("ppi").corrected(f, y)
    found = corrected_score(f, y)
    assert found.form == form
    assert found.tuned.value == pytest.approx(expected[0], abs=1e-8)
    assert isnan(found.tuned.low) == warned
    if not warned:
        assert (found.tuned.low, found.tuned.high) == pytest.approx(expected[1:], abs=1e-8)


@pytest.mark.parametrize(
    ("scores", "form", "has_interval"),
    [
        ([1, 2, 3, 4, 5, 4, 3], "plain", False),
        ([1, 2, 3, 4, 5, 4, 3, 2], "plain", True),
        ([1, 2, 3, 4, 5, 4, 3, 2, 5, 4], "tuned", True),
        ([5, 5, 5, 5, 1, 2, 3, 4], "plain", True),
        ([5, 5, 5, 5, 5, 1, 2, 3, 4], "plain", False),
        ([5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 2, 3, 4], "plain", False),
        ([5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 2, 3, 4, 4], "tuned", True),
        ([5] * 12, "plain", False),
    ],
)
def test_the_form_depends_on_how_many_items_are_rated_and_differ(
    scores: list[float], form: str, has_interval: bool
) -> None:
    f = np.random.default_rng(3).normal(0, 1, 40)
    found = corrected_score(f, np.concatenate([scores, np.full(40 - len(scores), nan)]))
    assert found.form == form
    assert found.tuned.defined
    assert (found.tuned.low <= found.tuned.value <= found.tuned.high) == has_interval
    assert bool(found.tuned.reason) != has_interval


@pytest.mark.parametrize("goes", [0.0, 0.3, 0.9])
def test_a_tuned_interval_is_hardly_ever_wider_than_the_references_own(goes: float) -> None:
    """Its mean width over studies is at most 1.05 of it, whatever the candidate; the plain form's may be more."""
    rng = np.random.default_rng(10)
    widths = []
    for _ in range(300):
        y = rng.normal(0, 1, 400)
        f = goes * y + sqrt(1 - goes**2) * rng.normal(0, 1, 400)
        found = corrected_score(f, np.where(np.arange(400) < 50, y, nan))
        widths.append([one.high - one.low for one in (found.tuned, found.plain, found.reference)])
    tuned, plain, alone = np.mean(widths, axis=0)
    assert tuned <= 1.05 * alone
    assert (plain > alone) == (goes < 0.6)


def test_systems_are_corrected_each_by_itself() -> None:
    found = corrected_scores(["b", "a", "b", "b", "b"], [1, 2, 3, 4, 5], [1, nan, 2, 5, nan])
    assert list(found) == ["a", "b"]
    assert found["a"].tuned.reason == "fewer than 3 items have a reference"
    assert found["b"] == corrected_score([1, 3, 4, 5], [1, 2, 5, nan])


def test_a_candidate_that_does_not_vary_corrects_nothing() -> None:
    found = corrected_score([0.1 + 0.2, 0.3, 0.3, 5], [1, 2, 3, nan])
    assert (found.weight, found.tuned.value, found.form) == (0.0, 2.0, "reference")
    assert (found.tuned.low, found.tuned.high) == (found.reference.low, found.reference.high)
    assert "are equal" in found.tuned.reason


def test_scores_that_cannot_be_corrected_are_refused() -> None:
    for candidate, reference, told in (
        ([1, 2], [1], "equally long"),
        ([1, nan], [1, 2], "`candidate` must be finite"),
        ([1, 2], [1, inf], "`reference` must be finite"),
    ):
        with pytest.raises(InputError, match=told):
            corrected_score(candidate, reference)
    with pytest.raises(InputError, match="equally long"):
        corrected_scores(["a"], [1, 2], [1, 2])


@pytest.mark.parametrize("per_item", [1, 4, 7])
def test_equal_ratings_of_an_item_are_left_out_as_each_alone(
    monkeypatch: pytest.MonkeyPatch, per_item: int
) -> None:
    rng = np.random.default_rng(8)
    truth, reference = rated(rng, 60, 7, per_item)
    some = rng.random(len(reference)) < (1 if per_item == 7 else 0.8)
    given = Ratings(reference.item[some], reference.rater[some], np.rint(reference.score[some]))
    both = [by_item(truth + rng.normal(0, 0.5, 60)) for _ in range(2)]
    together = leave_one_out_sums(given, both)
    worth, alike = effective_number_of_raters(given, both[0]), shared_errors(given, both).correlation
    monkeypatch.setattr(reference_means, "MOST_SCORES", 0)
    alone = leave_one_out_sums(given, both)
    assert together.times.sum() == len(alone.times) == len(given)
    assert (len(together.times) < len(given)) == (per_item == 4)
    for name in ("within", "degrees", "means", "weighted_squares", "squares"):
        left = np.repeat(getattr(together.ratings, name), together.times.astype(int))
        assert_allclose(np.sort(left), np.sort(getattr(alone.ratings, name)), rtol=1e-12)
        assert_allclose(getattr(together.raters, name), getattr(alone.raters, name), rtol=1e-12)
    for ours, theirs in (
        (worth, effective_number_of_raters(given, both[0])),
        (alike, shared_errors(given, both).correlation),
    ):
        assert_allclose((ours.value, ours.low, ours.high), (theirs.value, theirs.low, theirs.high), rtol=1e-9)
