from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.agreement.intraclass import icc
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings
from analysis.variance import generalisability as room
from analysis.variance.components import components
from analysis.variance.generalisability import (
    Averaged,
    curve_designs,
    d_study,
    generalisability,
    observed_design,
    separable_objects,
)
from analysis.variance.jackknives import FEW_RATERS
from tests.analysis.variance.designs import BRENNAN, brennan_1, brennan_3, crossed, systems

NONE = BootstrapSpec(0)


def test_brennans_coefficients() -> None:
    published = BRENNAN["1"]
    found = components(*brennan_1(), bootstrap=NONE)
    of_twelve = generalisability(found, Averaged("item", raters=12))
    assert round(of_twelve.coefficient.value, 3) == published["coefficient"]
    assert round(of_twelve.dependability.value, 3) == published["dependability"]
    by_raters = d_study(found, curve_designs(Averaged("item"), "raters"))
    for raters, value in published["coefficient_by_items"].items():
        assert by_raters[int(raters) - 1].coefficient.value == pytest.approx(value, abs=0.0007), (
            "rounded in between"
        )


def test_brennans_rounded_variances_give_a_little_more_for_15_and_20_items() -> None:
    """Methods, section 9: .872 and .900 in place of .871 and .901."""
    person, rest = (BRENNAN["1"]["variances"][name] for name in ("person", "rest"))
    found = components(*brennan_1(), bootstrap=NONE)
    place = {name: at for at, name in enumerate(found.sources)}
    rounded = found.variance.copy()
    rounded[[place["item"], place["rest"]]] = person, rest
    of_both = d_study(replace(found, variance=rounded), [Averaged("item", n) for n in (15, 20)])
    assert [round(one.coefficient.value, 3) for one in of_both] == [0.872, 0.900]


def test_brennans_two_facets() -> None:
    published = BRENNAN["3"]
    found = generalisability(components(**brennan_3(), bootstrap=NONE), Averaged("system", 2, 4))
    assert found.coefficient.value == pytest.approx(published["coefficient"], abs=0.005)
    assert found.dependability.value == pytest.approx(published["dependability"], abs=0.005)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_of_items_they_are_the_intraclass_correlations(seed: int) -> None:
    item, rater, score = crossed(30, 5, 5, seed)
    forms = icc(Ratings(item, rater, score))
    found = generalisability(components(item, rater, score, bootstrap=NONE), Averaged("item", 5))
    if min(forms.variances) > 0:
        assert found.coefficient.value == pytest.approx(forms.consistency_k.value)
        assert found.dependability.value == pytest.approx(forms.agreement_k.value)


@pytest.mark.parametrize("per_item", [5, 3])
def test_intervals_of_items_are_those_of_the_intraclass_correlations(per_item: int) -> None:
    item, rater, score = crossed(30, 5, per_item, seed=1)
    forms = icc(Ratings(item, rater, score))
    found = generalisability(
        components(item, rater, score, bootstrap=BootstrapSpec(20)), Averaged("item", per_item)
    )
    for one, other in ((found.coefficient, forms.consistency_k), (found.dependability, forms.agreement_k)):
        assert [one.value, one.low, one.high] == pytest.approx(
            [other.value, max(other.low, 0), other.high], rel=1e-6
        )


def test_items_of_few_raters_have_a_coefficient_without_an_interval() -> None:
    found = generalisability(components(*crossed(30, 2, 2, seed=1)), Averaged("item", 2)).coefficient
    assert found.reason == FEW_RATERS
    assert found.defined
    assert np.isnan(found.low)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_more_raters_and_items_never_hurt_and_dependability_is_never_above(seed: int) -> None:
    found = components(**systems(seed, kept=0.8), bootstrap=NONE)
    for designs in (
        curve_designs(Averaged("system", 1, 3), "raters"),
        curve_designs(Averaged("system", 2, 1), "items"),
    ):
        found_of_each = d_study(found, designs)
        of_each = [each.coefficient.value for each in found_of_each]
        assert (np.diff(of_each) >= -1e-12).all()
        assert all(each.dependability.value <= each.coefficient.value + 1e-12 for each in found_of_each)


def test_a_curve_runs_beyond_the_chosen_number_and_through_it() -> None:
    few = [each.raters for each in curve_designs(Averaged("item", 3), "raters")]
    many = [each.items for each in curve_designs(Averaged("system", 2, 777), "items")]
    assert few == list(range(1, 21))
    assert (many[0], many[-1], 777 in many) == (1, 1554, True)
    assert len(many) <= 61


def test_the_usual_design_is_that_of_the_ratings() -> None:
    complete = components(**systems(0), bootstrap=NONE)
    sparse = components(*crossed(30, 20, 3, seed=0), bootstrap=NONE)
    assert observed_design(complete, "system") == Averaged("system", 4, 8, same_raters=True)
    assert observed_design(sparse, "item") == Averaged("item", 3, 1, same_raters=False)
    item, rater, score = crossed(30, 5, 5, seed=0)
    twice = components(np.tile(item, 2), np.tile(rater, 2), np.r_[score, score[::-1]], bootstrap=NONE)
    assert observed_design(twice, "item").raters == 5, "repeats are by the same raters"


def test_with_raters_of_its_own_an_items_severity_is_in_both_errors() -> None:
    found = components(*crossed(20, 6, 6, seed=2), bootstrap=NONE)
    shared, own = (generalisability(found, Averaged("item", 4, 1, same)) for same in (True, False))
    assert own.coefficient.value == own.dependability.value == shared.dependability.value


def test_items_each_with_raters_of_their_own_have_a_coefficient_for_such_designs_only() -> None:
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(20), 4)
    found = components(item, np.arange(80), rng.normal(size=20)[item] + rng.normal(size=80), bootstrap=NONE)
    assert generalisability(found, Averaged("item", 4)).coefficient.reason == room.NO_RATERS
    assert generalisability(found, Averaged("item", 4, same_raters=False)).coefficient.defined


def test_errors_of_systems_are_named_and_divided() -> None:
    found = components(**systems(4), bootstrap=NONE)
    terms = {t.source: (t.part, t.over) for t in generalisability(found, Averaged("system", 3, 10)).terms}
    assert terms == {
        "system": ("object", 1),
        "item": ("relative", 10),
        "system × rater": ("relative", 3),
        "rest": ("relative", 30),
        "rater": ("absolute", 3),
        "topic": ("absolute", 10),
        "topic × rater": ("absolute", 30),
    }
    assert separable_objects(found) == ("item", "system")


def test_what_the_design_does_not_tell_apart_has_no_coefficient() -> None:
    single = components(np.arange(12), np.arange(12) % 3, np.arange(12.0) ** 2 % 7)
    assert generalisability(single, Averaged("item", 2)).coefficient.reason == room.NO_OBJECT["item"]
    assert generalisability(single, Averaged("system", 2)).dependability.reason == room.NO_OBJECT["system"]
    assert separable_objects(single) == ()


def test_one_rating_per_item_says_nothing_of_a_second() -> None:
    columns = systems(0)
    first = columns["rater"] == columns["topic"] % 4
    found = components(**{name: column[first] for name, column in columns.items()}, bootstrap=NONE)
    assert generalisability(found, Averaged("system", 2, 8)).coefficient.reason == room.ONE_RATING
    assert generalisability(found, Averaged("system", 1, 8)).coefficient.defined


def test_a_mean_of_no_ratings_is_refused() -> None:
    with pytest.raises(InputError, match="`raters`"):
        Averaged("item", 0)
