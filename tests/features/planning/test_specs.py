"""Parameters of a plan as an address tells them: within their ranges, and usual where they cannot be read."""

import pytest

from features.planning.power_results import PowerSpec, Prices
from features.planning.precision import SHARE, PrecisionSpec
from features.planning.specs import LABELS, POWER, PRECISION, PREFERENCE, Address, ask_plan
from features.planning.variances import BUSIEST, TYPED, LoadsSpec, VariancesSpec
from features.planning.votes import LabelsSpec, PreferenceSpec
from tests.features.planning.plans import STUDY

TYPED_NUMBERS = {"plan_variances": ["typed numbers"], "plan_var_rater": ["0.3"], "plan_var_item": ["x"]}


def address(**told: str) -> Address:
    return Address({name: [value] for name, value in told.items()})


@pytest.mark.parametrize(
    ("told", "number"), [("7", 7), ("1e99", 9), ("-4", 2), ("x", 5), ("nan", 5), ("inf", 5)]
)
def test_a_number_stays_within_its_range(told: str, number: int) -> None:
    assert address(n=told).whole("", "n", 5, 2, 9) == number
    assert address().whole("", "n", 5, 2, 9) == 5


def test_an_amount_that_nobody_entered_is_none() -> None:
    assert address().amount("", "price", 0.0, 0.1, "none") is None
    assert address(price="free").amount("", "price", 0.0, 0.1, "none") is None
    assert address(price="0").amount("", "price", 0.0, 0.1, "none") == 0


def test_an_option_that_is_not_there_is_the_first() -> None:
    assert address(of="b").option("", "of", ["a", "b"]) == "b"
    assert address(of="c").option("", "of", ["a", "b"]) == "a"


def test_a_scope_counts_only_where_raters_are_persons() -> None:
    assert address(generalize="these raters").scope(24, True) == "these raters"
    assert address(generalize="everybody").scope(24, True) == address().scope(24, True)
    assert address(generalize="raters like these").scope(24, False) == address().scope(24, False)


def test_a_plan_without_parameters_is_the_usual_one() -> None:
    assert ask_plan(STUDY, PREFERENCE, address()) == PreferenceSpec()
    assert ask_plan(STUDY, LABELS, address()) == LabelsSpec()


def test_a_plan_has_what_its_address_tells() -> None:
    told = {
        "plan_items": "60",
        "plan_loads": BUSIEST,
        "plan_busiest": "60",
        "plan_price": "0.5",
        "power": "90",
    }
    spec = ask_plan(
        STUDY, POWER, Address({**TYPED_NUMBERS, **{name: [value] for name, value in told.items()}})
    )
    assert isinstance(spec, PowerSpec)
    variances = dict(spec.variances.typed)
    assert (spec.variances.source, variances["rater"], len(variances)) == (TYPED, 0.3, 6)
    assert (spec.items, spec.wanted, spec.loads) == (60, 0.9, LoadsSpec(BUSIEST, "", 0.6))
    assert spec.prices == Prices(0.5)


def test_a_figure_has_its_own_parameters() -> None:
    spec = ask_plan(STUDY, PRECISION, address(plan_precise=SHARE, plan_share="70", plan_ratings="9"))
    assert isinstance(spec, PrecisionSpec)
    assert (spec.what, spec.share, spec.per_item, spec.variances) == (SHARE, 0.7, 9, VariancesSpec())
