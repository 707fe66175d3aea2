from itertools import product

import numpy as np
import pytest

from analysis.values.estimate import BootstrapSpec, InputError
from analysis.variance import components, sources
from analysis.variance.components import add_intervals, estimate_components
from analysis.variance.sources import Unseparated, design
from tests.analysis.variance.designs import crossed, systems


def test_crossed_items_and_raters_are_distinguished_and_their_interaction_is_the_rest() -> None:
    made = design(*crossed(10, 4, 4, seed=0))
    assert [source.name for source in made.sources] == ["item", "rater"]
    assert made.unseparated == (Unseparated("item × rater", "rest"),)


def test_a_system_by_topic_cell_with_one_item_is_the_item() -> None:
    made = design(**systems(0))
    assert [source.name for source in made.sources] == [
        "item",
        "rater",
        "system",
        "topic",
        "system × rater",
        "topic × rater",
    ]
    assert Unseparated("system × topic", "item") in made.unseparated


def test_several_items_of_a_cell_make_it_a_source_of_its_own() -> None:
    columns = systems(0)
    twice = {name: np.concatenate([column, column]) for name, column in columns.items()}
    twice["item"] = np.concatenate([columns["item"], columns["item"] + 1000])
    assert "system × topic" in [source.name for source in design(**twice).sources]


def test_items_with_one_rating_are_the_rest() -> None:
    made = design(np.arange(12), np.arange(12) % 3, np.arange(12.0) ** 2 % 7)
    assert [source.name for source in made.sources] == ["rater"]
    assert Unseparated("item", "rest") in made.unseparated


def test_a_system_per_item_is_the_item() -> None:
    item, rater, score = crossed(10, 4, 4, seed=0)
    assert Unseparated("system", "item") in design(item, rater, score, system=item + 5).unseparated


def test_topics_that_each_have_one_rater_keep_their_interaction() -> None:
    topic = np.repeat(np.arange(6), 4)
    system = np.tile(np.arange(4), 6)
    made = design(topic * 4 + system, topic % 3, np.arange(24.0) ** 2 % 11, system, topic)
    assert Unseparated("topic × rater", "topic") in made.unseparated


def test_ratings_without_a_system_are_left_out_where_others_have_one() -> None:
    columns = systems(1)
    columns["system"] = np.where(columns["system"] == 4, -1, columns["system"])
    made = design(**columns)
    assert (made.left_out, made.levels["system"], made.ratings) == (32, 4, 128)


def test_repeated_pairs_of_item_and_rater_are_a_source_only_where_there_are_many() -> None:
    item, rater, score = crossed(20, 4, 4, seed=0)
    few = design(np.append(item, item[:2]), np.append(rater, rater[:2]), np.append(score, [1.0, 2.0]))
    many = design(np.tile(item, 2), np.tile(rater, 2), np.random.default_rng(0).normal(size=160))
    assert "item × rater" not in [source.name for source in few.sources]
    assert "item × rater" in [source.name for source in many.sources]


@pytest.mark.parametrize("kept", [1.0, 0.6])
@pytest.mark.parametrize("most_cells", [0, 2])
def test_meetings_count_the_ratings_of_two_levels(
    monkeypatch: pytest.MonkeyPatch, kept: float, most_cells: int
) -> None:
    monkeypatch.setattr(sources, "MOST_CELLS", most_cells)
    made = design(**systems(0, kept))
    for one, other in product(range(len(made.sources)), repeat=2):
        a, b, met = made.sources[one].level, made.sources[other].level, made.cross_counts(one, other)
        counted = [[((a == i) & (b == j)).sum() for j in range(met.shape[1])] for i in range(met.shape[0])]
        assert met.toarray() == pytest.approx(np.array(counted))


def test_each_source_knows_the_finest_that_lies_within_it() -> None:
    made = design(**systems(0))
    names = [source.name for source in made.sources]
    found = {names[at]: made.finest_nested(at) for at in range(len(names))}
    finest = {name: names[within[0]] for name, within in found.items() if within is not None}
    assert finest == {"rater": "topic × rater", "system": "item", "topic": "item"}
    for at, within in enumerate(made.finest_nested(at) for at in range(len(names))):
        if within is not None:
            assert np.array_equal(within[1][made.sources[within[0]].level], made.sources[at].level)


@pytest.mark.parametrize(
    ("score", "told"), [([1.0, np.nan], "position 1"), ([1.0], "equally long"), (["a", "b"], "numbers")]
)
def test_what_is_no_table_of_ratings_is_reported(score: list[object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        design([1, 2], [1, 2], score)


@pytest.mark.parametrize("kept", [1.0, 0.6])
@pytest.mark.parametrize("most_places", [0, 2])
def test_what_tables_of_levels_hold_is_added_up_without_them(
    monkeypatch: pytest.MonkeyPatch, kept: float, most_places: int
) -> None:
    monkeypatch.setattr(sources, "MOST_JOINT_LEVELS", most_places)
    columns = systems(0, kept)
    often = {name: np.concatenate([column, column[:40]]) for name, column in columns.items()}
    for given in (columns, often):
        made = design(**given)
        for one, other in product(range(len(made.sources)), repeat=2):
            met = made.cross_counts(one, other).toarray()
            assert made.overlap[one, other] == pytest.approx((met**2).sum(axis=1) @ (1 / made.counts(one)))


@pytest.mark.parametrize("most_places", [0, 2])
def test_which_sources_are_distinguished_is_seen_in_matrices_of_ratings_by_ratings(
    monkeypatch: pytest.MonkeyPatch, most_places: int
) -> None:
    """Each is taken whose matrix those before it and the rest leave a part of."""
    monkeypatch.setattr(sources, "MOST_JOINT_LEVELS", most_places)
    for seed, kept in product(range(3), (1.0, 0.7, 0.4)):
        columns = systems(seed, kept)
        made = design(**columns)
        facets = {name: column for name, column in columns.items() if name != "score"}
        n = len(columns["score"])
        centre = np.eye(n) - 1 / n
        seen = [centre.ravel()]
        expected = []
        for names in [(name,) for name in facets] + list(sources.INTERACTIONS):
            codes = np.unique(np.column_stack([facets[name] for name in names]), axis=0, return_inverse=True)[
                1
            ]
            if len(names) > 1 and codes.max() + 1 > 0.9 * n:
                continue
            matrix = (centre @ (codes[:, None] == codes).astype(float) @ centre).ravel()
            left = matrix - np.column_stack(seen) @ np.linalg.lstsq(np.column_stack(seen), matrix)[0]
            if left @ left > sources.SMALLEST_UNEXPLAINED * (matrix @ matrix):
                seen.append(matrix)
                expected.append(" × ".join(names))
        assert [source.name for source in made.sources] == expected


def test_a_study_in_another_order_has_the_same_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "fits_likelihood", lambda design: False)
    columns = systems(0, 0.6)
    columns["system"] = np.where(columns["system"] == 4, -1, columns["system"])
    mixed = np.random.default_rng(3).permutation(len(columns["score"]))
    one, other = (
        add_intervals(estimate_components(made), made, BootstrapSpec(50))
        for made in (
            design(**columns),
            design(**{name: column[mixed] for name, column in columns.items()}, order=mixed * 7 + 2),
        )
    )
    assert one.method == "moments"
    assert other.variance == pytest.approx(one.variance)
    assert other.drawn == pytest.approx(one.drawn, rel=1e-6)
