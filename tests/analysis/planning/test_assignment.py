"""Invariants that every assignment keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.planning.difference import LAYOUTS, DifferencePlan
from analysis.planning.simulated_difference import assigned_study, balanced_assignment
from analysis.values.estimate import InputError


@given(st.integers(1, 12), st.integers(1, 20), st.data())
def test_every_item_has_its_raters_and_loads_differ_by_one(p: int, q: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, p))
    found = balanced_assignment(
        [f"r{at}" for at in range(p)], range(q), k, seed=data.draw(st.integers(0, 99))
    )
    assert np.bincount(found.item, minlength=q).tolist() == [k] * q
    pairs = set(zip(found.rater.tolist(), found.item.tolist(), strict=True))
    assert len(pairs) == q * k
    loads = [int((found.rater == f"r{at}").sum()) for at in range(p)]
    assert max(loads) - min(loads) <= 1
    for rater in set(found.rater.tolist()):
        own = found.order[found.rater == rater]
        assert own.tolist() == list(range(1, len(own) + 1))


def test_a_rater_gets_about_as_many_items_of_each_system() -> None:
    systems = np.repeat(["A", "B", "C", "D"], 10)
    found = balanced_assignment(range(10), range(40), 5, systems=systems)
    of_each = np.array(
        [[(systems[found.item[found.rater == r]] == s).sum() for s in "ABCD"] for r in range(10)]
    )
    assert of_each.sum(axis=1).tolist() == [20] * 10
    assert np.ptp(of_each, axis=1).max() <= 3


def test_a_seed_is_repeated_and_orders_are_of_their_own() -> None:
    one, same, other = (balanced_assignment(range(4), range(30), 4, seed=seed) for seed in (1, 1, 2))
    assert one.item.tolist() == same.item.tolist() != other.item.tolist()
    orders = [one.item[one.rater == rater].tolist() for rater in range(4)]
    assert all(sorted(order) == list(range(30)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"raters": ["a", "a"]}, "`raters` must name each once"),
        ({"items": []}, "`items` must name each once"),
        ({"ratings_per_item": 0}, "`ratings_per_item` must be 1 or more"),
        ({"ratings_per_item": 3}, "`ratings_per_item` must be at most the number of raters, 2"),
        ({"most_per_rater": 2}, "`most_per_rater` must be at least 3"),
        ({"systems": ["A"]}, "`systems` must have one entry per item, 3"),
    ],
)
def test_what_cannot_be_dealt_out_is_refused(given: dict[str, object], told: str) -> None:
    asked: dict[str, object] = {"raters": ["a", "b"], "items": [1, 2, 3], "ratings_per_item": 2}
    with pytest.raises(InputError, match=told):
        balanced_assignment(**(asked | given))  # type: ignore[arg-type]


@pytest.mark.parametrize("design", LAYOUTS)
def test_a_study_is_dealt_out_as_its_design_says(design: str) -> None:
    plan = DifferencePlan(12, 20, 0.5, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, design, 4)  # type: ignore[arg-type]
    study = assigned_study(plan, seed=3)
    assert len(study.rater) == plan.ratings
    layout = plan.layout
    for of, within in ((study.rater, layout.raters_within), (study.item, layout.items_within)):
        met = {one: set(study.system[of == one].tolist()) for one in set(of.tolist())}
        assert all(len(systems) == (1 if within else 2) for systems in met.values())
    loads = np.bincount(study.rater)
    assert loads.max() - loads.min() <= (2 if design == "crossed" else 1)
    assert set(np.bincount(study.item)) == {plan.ratings / 20}
    once = set(zip(study.rater.tolist(), study.item.tolist(), study.system.tolist(), strict=True))
    assert len(once) == len(study.rater)
    for rater in range(12):
        assert study.order[study.rater == rater].tolist() == list(range(1, loads[rater] + 1))
    again = assigned_study(plan, seed=3)
    assert again.item.tolist() == study.item.tolist()
    assert assigned_study(plan, seed=4).item.tolist() != study.item.tolist()


def test_a_study_that_raters_have_no_room_for_is_refused() -> None:
    plan = DifferencePlan(12, 20, 0.5, 0.3, 0.1, 0.1, ratings_per_item=4)
    assert np.bincount(assigned_study(plan, most_per_rater=14).rater).max() == 14
    with pytest.raises(InputError, match="must be at least 14: 160 ratings are shared by 12"):
        assigned_study(plan, most_per_rater=12)
