"""Named queries against the same figures computed the slow way from the file's rows."""

import hashlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.comparison.variance_components import ItemPairs, RaterInfluence, summarize_pairs
from analysis.values.ratings import Ratings
from data.dataset import Dataset
from data.errors import UnknownName
from data.queries import named, ratings
from data.store.store import Store
from tests.data.conftest import write_table

WriteCsv = Callable[..., Path]
HEADER = (
    "item",
    "rater",
    "measure",
    "group",
    "score",
    "check",
    "knowledge",
    "system",
    "gold",
    "at",
    "seconds",
)
MAPPING = {
    "item_id": "item",
    "rater_id": "rater",
    "measure": "measure",
    "rater_group": "group",
    "score": "score",
    "check": "check",
    "rater_knowledge": "knowledge",
    "system": "system",
    "gold": "gold",
    "order": "at",
    "seconds": "seconds",
}


def _study() -> list[dict[str, Any]]:
    """Unequal counts, single ratings, raters in two groups, items of one group only, gaps and check rows."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for _ in range(600):
        group = str(rng.choice(["lab", "crowd", "experts"], p=[0.5, 0.4, 0.1]))
        item = int(rng.integers(0, 25) if group != "lab" else rng.integers(5, 30))
        rater = f"{'r' if rng.random() < 0.3 else group} {rng.integers(0, 9)}"
        rows.append(
            {
                "item": f"item {item}",
                "rater": rater,
                "measure": str(rng.choice(["zeal", "ease"])),
                "group": group,
                "score": float(rng.integers(1, 6)) + 0.5 * float(rng.integers(0, 2)),
                "check": "trap" if rng.random() < 0.1 else "",
                "knowledge": {0: "good", 1: "bad"}.get(hash_of(rater) % 3, ""),
                "system": f"system {item % 4}" if item % 5 else "",
                "gold": item / 4 if item % 3 else "",
                "at": int(rng.integers(0, 50)) if rng.random() < 0.9 else "",
                "seconds": float(rng.integers(1, 90)) if rng.random() < 0.8 else "",
            }
        )
    rows.append(rows[0] | {"item": "only a trap", "rater": "only traps", "check": "gold"})
    return rows


def hash_of(text: str) -> int:
    return hashlib.md5(text.encode()).digest()[0]


STUDY = _study()
REAL = [row for row in STUDY if not row["check"]]
ITEMS = sorted({row["item"] for row in REAL})
RATERS = sorted({row["rater"] for row in REAL})


@pytest.fixture(scope="module")
def study(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    file = tmp_path_factory.mktemp("study") / "file.csv"
    write_table(file, HEADER, [[row[name] for name in HEADER] for row in STUDY])
    saved = store.add(file, "ratings", MAPPING, "study")
    assert saved.rows_kept == len(REAL)
    return saved


@pytest.fixture(scope="module")
def plain(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Only what is required: no groups, no measures, no order."""
    file = tmp_path_factory.mktemp("plain") / "file.csv"
    write_table(
        file, ("item", "rater", "score"), [("b", "x", 3), ("a", "x", 1), ("b", "y", 4), ("c", "y", 2)]
    )
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    return store.add(file, "ratings", mapping, "plain")


def of(measure: str, group: str) -> list[dict[str, Any]]:
    return [row for row in REAL if (row["measure"], row["group"]) == (measure, group)]


def as_ratings(rows: list[dict[str, Any]]) -> Ratings:
    return Ratings(
        [ITEMS.index(row["item"]) for row in rows],
        [RATERS.index(row["rater"]) for row in rows],
        [row["score"] for row in rows],
    )


# --- names and kinds of arrays ---------------------------------------------------------------------------------


def test_names_stand_at_their_codes_and_leave_check_rows_out(store: Store, study: Dataset) -> None:
    assert store.query(study, "item_names")["name"].tolist() == ITEMS
    assert store.query(study, "rater_names")["name"].tolist() == RATERS
    assert "only a trap" not in ITEMS


def test_all_arrays_are_plain_floats_integers_or_texts(store: Store, study: Dataset, plain: Dataset) -> None:
    measure = {"measure": "zeal"}
    two = measure | {"candidate": "crowd", "reference": "lab"}
    asked = {
        "ratings": measure | {"group": "lab"},
        "item_pairs": two,
        "comparison": two,
        "score_counts": measure,
        "unit_sums": measure,
        "centered_sums": measure | {"group": "lab"},
        "item_numbers": {"column": "gold"},
        "assessments": measure | {"group": "lab"},
        "cell_ratings": measure | {"group": "lab"},
        "crossed_ratings": measure | {"group": "lab"},
        "score_ranges": measure,
        "labels": {"column": "system"},
        "names_to_filter": {"column": "system"},
        "group_raters": {"group": "lab"},
        "scores": measure | {"group": "lab"},
        "few_scores": measure | {"group": "lab"},
        "checks": {"group": "lab"},
        "ratings_of_item": {"item": ITEMS[0]},
        "ratings_of_rater": {"rater": RATERS[0]},
        "about_item": {"item": ITEMS[0]},
    }
    of_ratings = [
        name for name, query in named.QUERIES.items() if "ratings" in query.kinds or not query.kinds
    ]
    # tests/data/store/test_sums.py and tests/features/replacement/test_sums.py ask those of large data sets alone
    of_large = "rater_sums", "held_against", "cell_raters", "cell_means", "repeats"
    # tests/pages/test_weights.py asks those of weighted ratings
    of_large += "weighted_score_counts", "weighted_items", "weights", "effective_ratings"
    of_large += "cell_sums", "fourth_powers", "with_reference", "rater_shares", "busiest"
    for of_large_ones_alone in of_large:
        of_ratings.remove(of_large_ones_alone)
    for name in of_ratings:
        for array in store.query(study, name, **asked.get(name, {})).values():
            assert type(array) is np.ndarray
            assert array.dtype in (np.float64, np.int64) or array.dtype.kind == "U"
    assert np.isnan(store.query(plain, "ratings", measure="score", group="all ratings")["seconds"]).all()


# --- each query ------------------------------------------------------------------------------------------------


def test_overview(store: Store, study: Dataset) -> None:
    found = {name: array.tolist() for name, array in store.query(study, "overview").items()}
    assert found == {
        "rows": [len(REAL)],
        "items": [len(ITEMS)],
        "raters": [len(RATERS)],
        "measures": [2],
        "groups": [3],
        "score_min": [min(row["score"] for row in REAL)],
        "score_max": [max(row["score"] for row in REAL)],
    }


def test_cells_in_the_order_of_the_file(store: Store, study: Dataset) -> None:
    found = store.query(study, "cells")
    measures = list(dict.fromkeys(row["measure"] for row in REAL))
    groups = list(dict.fromkeys(row["group"] for row in REAL))
    cells = [(measure, group) for measure in measures for group in groups]
    assert list(zip(found["measure"], found["group"], strict=True)) == cells
    for at, (measure, group) in enumerate(cells):
        rows = of(measure, group)
        counts = list(_counted(row["item"] for row in rows).values())
        assert found["ratings"][at] == len(rows)
        assert found["items"][at] == len(counts)
        assert found["raters"][at] == len({row["rater"] for row in rows})
        assert found["ratings_per_item_min"][at] == min(counts)
        assert found["ratings_per_item_median"][at] == np.median(counts)
        assert found["ratings_per_item_max"][at] == max(counts)


def test_ratings_in_the_order_of_the_file(store: Store, study: Dataset) -> None:
    found = store.query(study, "ratings", measure="zeal", group="lab")
    rows = of("zeal", "lab")
    assert found["item"].tolist() == [ITEMS.index(row["item"]) for row in rows]
    assert found["rater"].tolist() == [RATERS.index(row["rater"]) for row in rows]
    assert found["score"].tolist() == [row["score"] for row in rows]
    np.testing.assert_array_equal(found["seconds"], [float(row["seconds"] or "nan") for row in rows])
    by_order = sorted(range(len(rows)), key=lambda at: (rows[at]["at"] == "", rows[at]["at"] or 0, at))
    assert np.argsort(found["order"]).tolist() == by_order


def test_without_an_order_column_time_stamps_count_else_the_row(
    store: Store, plain: Dataset, write_csv: WriteCsv
) -> None:
    by_row = store.query(plain, "ratings", measure="score", group="all ratings")
    assert np.argsort(by_row["order"]).tolist() == [0, 1, 2, 3]
    rows = [("a", "x", 1, "2024-03-02 10:00:00"), ("a", "y", 2, "2024-03-01 09:00:00"), ("a", "z", 3, "")]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score", "rated_at": "when"}
    timed = store.add(write_csv(("item", "rater", "score", "when"), rows), "ratings", mapping, "timed")
    assert store.query(timed, "ratings", measure="score", group="all ratings")["order"].tolist() == [2, 1, 3]


def test_ratings_of_raters_with_an_attribute(store: Store, study: Dataset) -> None:
    found = store.query(
        study, "ratings", measure="ease", group="lab", attribute="rater_knowledge", value="good"
    )
    rows = [row for row in of("ease", "lab") if row["knowledge"] == "good"]
    assert found["score"].tolist() == [row["score"] for row in rows]


def test_a_sample_of_items_holds_whole_items_and_stays_the_same(store: Store, study: Dataset) -> None:
    every = store.query(study, "ratings", measure="zeal", group="lab")
    samples = [store.query(study, "ratings", measure="zeal", group="lab", max_items=6) for _ in range(2)]
    for sample in samples:
        chosen = np.isin(every["item"], sample["item"])
        assert len(set(sample["item"])) == 6
        np.testing.assert_array_equal(sample["item"], every["item"][chosen])
        np.testing.assert_array_equal(sample["score"], every["score"][chosen])
    np.testing.assert_array_equal(samples[0]["item"], samples[1]["item"])


def test_two_groups_samples_hold_the_same_items(store: Store, study: Dataset) -> None:
    def sample(group: str, other: str, most: int | None) -> set[int]:
        found = store.query(study, "ratings", measure="zeal", group=group, shared_with=other, max_items=most)
        return set(found["item"].tolist())

    shared = {ITEMS.index(row["item"]) for row in of("zeal", "lab")}
    shared &= {ITEMS.index(row["item"]) for row in of("zeal", "crowd")}
    assert sample("lab", "crowd", 5) == sample("crowd", "lab", 5) < shared
    assert sample("lab", "crowd", None) == shared


@pytest.mark.parametrize("measure", ["zeal", "ease"])
@pytest.mark.parametrize(
    ("candidate", "reference"), [("crowd", "lab"), ("lab", "experts"), ("experts", "crowd")]
)
def test_sums_for_a_comparison_equal_those_of_the_analysis(
    store: Store, study: Dataset, measure: str, candidate: str, reference: str
) -> None:
    pairs, pulls = summarize_pairs(as_ratings(of(measure, candidate)), as_ratings(of(measure, reference)))
    asked = {"measure": measure, "candidate": candidate, "reference": reference}
    both = store.query(study, "comparison", **asked)
    for found in (store.query(study, "item_pairs", **asked), both):
        for name in ItemPairs.__dataclass_fields__:
            np.testing.assert_allclose(found[name], getattr(pairs, name), rtol=1e-12, err_msg=name)
    for name in RaterInfluence.__dataclass_fields__:
        np.testing.assert_allclose(both[name], getattr(pulls, name), atol=1e-12, err_msg=name)
    assert (pulls.singles > 0).any()


def test_pairs_without_a_reference_or_with_an_attribute(store: Store, study: Dataset) -> None:
    alone = store.query(study, "item_pairs", measure="zeal", candidate="lab")
    mos = as_ratings(of("zeal", "lab")).mos()
    np.testing.assert_array_equal(alone["item"], mos.items)
    np.testing.assert_allclose(alone["sum_candidate"] / alone["n_candidate"], mos.means)
    assert not alone["n_reference"].any()
    asked = {"measure": "zeal", "candidate": "crowd", "reference": "lab"}
    some = store.query(study, "comparison", **asked, attribute="rater_knowledge", value="bad")
    rows = [row for row in of("zeal", "crowd") if row["knowledge"] == "bad"]
    pairs, pulls = summarize_pairs(as_ratings(rows), as_ratings(of("zeal", "lab")))
    np.testing.assert_allclose(some["sum_candidate"], pairs.sum_candidate)
    np.testing.assert_allclose(some["pull"], pulls.pull, atol=1e-12)


def test_score_counts(store: Store, study: Dataset) -> None:
    found = store.query(study, "score_counts", measure="ease")
    groups = list(dict.fromkeys(row["group"] for row in REAL if row["measure"] == "ease"))
    expected = [
        (group, score, count)
        for group in groups
        for score, count in sorted(_counted(row["score"] for row in of("ease", group)).items())
    ]
    assert list(zip(found["group"], found["score"], found["count"], strict=True)) == expected


def test_many_distinct_scores_are_counted_in_bins(store: Store, write_csv: WriteCsv) -> None:
    scores = np.random.default_rng(5).normal(50, 10, 3_000)
    rows = [(at % 10, at % 7, score) for at, score in enumerate(scores)]
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    saved = store.add(write_csv(("item", "rater", "score"), rows), "ratings", mapping, "fine")
    found = store.query(saved, "score_counts", measure="score")
    counts, edges = np.histogram(scores, ratings.BINS)
    filled = counts > 0
    np.testing.assert_array_equal(found["count"], counts[filled])
    np.testing.assert_allclose(found["score"], ((edges[1:] + edges[:-1]) / 2)[filled])


def test_numbers_and_systems_of_items(store: Store, study: Dataset) -> None:
    numbers = store.query(study, "item_numbers", column="gold")
    gold = {ITEMS.index(row["item"]): row["gold"] for row in REAL if row["gold"] != ""}
    assert dict(zip(numbers["item"].tolist(), numbers["value"].tolist(), strict=True)) == gold
    systems = store.query(study, "systems")
    system = {ITEMS.index(row["item"]): row["system"] for row in REAL if row["system"]}
    assert dict(zip(systems["item"].tolist(), systems["system"].tolist(), strict=True)) == system


def test_rater_attributes(store: Store, study: Dataset, plain: Dataset) -> None:
    found = store.query(study, "rater_attributes")
    assert found["attribute"].tolist() == ["rater_knowledge"] * 2
    for value, rated, raters in zip(found["value"], found["ratings"], found["raters"], strict=True):
        rows = [row for row in REAL if row["knowledge"] == value]
        assert (rated, raters) == (len(rows), len({row["rater"] for row in rows}))
    assert all(len(array) == 0 for array in store.query(plain, "rater_attributes").values())


def test_a_data_set_without_groups_or_measures_is_one_of_each(store: Store, plain: Dataset) -> None:
    cells = store.query(plain, "cells")
    assert cells["measure"].tolist() == ["score"]
    assert cells["group"].tolist() == ["all ratings"]
    assert cells["ratings_per_item_max"].tolist() == [2]
    counts = store.query(plain, "score_counts", measure="score")
    assert counts["score"].tolist() == [1, 2, 3, 4]
    pairs = store.query(plain, "item_pairs", measure="score", candidate="all ratings")
    assert pairs["sum_candidate"].tolist() == [1, 7, 2]


# --- wrong names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters", "told"),
    [
        ("everything", {}, "'overview', 'cells', 'ratings'"),
        ("cells", {"measure": "zeal"}, "'cells' has no parameter 'measure'; it has none"),
        ("ratings", {"measure": "zeal"}, "'ratings' needs the parameter 'group'"),
        (
            "ratings",
            {"measure": 1, "group": "lab"},
            "'measure' of the query 'ratings' must be of type str, got 1",
        ),
        (
            "ratings",
            {"measure": "zest", "group": "lab"},
            "`measure` must be one of 'ease', 'zeal'; got 'zest'",
        ),
        (
            "ratings",
            {"measure": "zeal", "group": "x"},
            "`group` must be one of 'crowd', 'experts', 'lab'; got 'x'",
        ),
        (
            "ratings",
            {"measure": "zeal", "group": "lab", "shared_with": "x"},
            "`shared_with` must be one of 'crowd'",
        ),
        ("ratings", {"measure": "zeal", "group": "lab", "max_items": "5"}, "must be of type int, got '5'"),
        (
            "ratings",
            {"measure": "zeal", "group": "lab", "attribute": "rater_age", "value": "9"},
            "'rater_knowledge'",
        ),
        (
            "ratings",
            {"measure": "zeal", "group": "lab", "attribute": "rater_knowledge", "value": "so so"},
            "`value` must be one of 'bad', 'good'; got 'so so'",
        ),
        ("ratings", {"measure": "zeal", "group": "lab", "value": "good"}, "belong together"),
        ("item_pairs", {"measure": "zeal", "candidate": "lab", "reference": "lab"}, "must be another group"),
        ("item_numbers", {"column": "score"}, "no numeric column 'score' of the items; there are 'gold'"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(
    store: Store, study: Dataset, name: str, parameters: dict[str, Any], told: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        store.query(study, name, **parameters)
    assert told in str(caught.value)


def test_columns_that_are_not_there_are_said_to_be(store: Store, plain: Dataset) -> None:
    with pytest.raises(UnknownName, match="no column `system`"):
        store.query(plain, "systems")
    with pytest.raises(UnknownName, match="there are none"):
        store.query(plain, "item_numbers", column="gold")


# --- real files ------------------------------------------------------------------------------------------------


def test_speech_data_has_its_known_correlations(store: Store, shared_data: Path) -> None:
    from scipy.stats import spearmanr

    mapping = {
        "item_id": "item",
        "rater_id": "rater",
        "rater_group": "group",
        "measure": "measure",
        "score": "score",
        "check": "check",
        "status": "assignment_status",
    }
    saved = store.add(shared_data / "speech_mos_lab_vs_crowd.csv", "ratings", mapping, "speech")
    cells = store.query(saved, "cells")
    lab = next(group for group in cells["group"] if "lab" in group.lower())
    found = {}
    for group in cells["group"]:
        if group != lab:
            pairs = store.query(
                saved, "item_pairs", measure="overall_quality", candidate=str(group), reference=str(lab)
            )
            both = (pairs["n_candidate"] > 0) & (pairs["n_reference"] > 0)
            means = [
                pairs[f"sum_{side}"][both] / pairs[f"n_{side}"][both] for side in ("candidate", "reference")
            ]
            found[round(float(spearmanr(*means).statistic), 3)] = int(both.sum())
    assert found == {0.897: 200, 0.896: 199, 0.822: 200}


def _counted(values: Any) -> dict[Any, int]:
    counts: dict[Any, int] = defaultdict(int)
    for value in values:
        counts[value] += 1
    return counts


def test_items_hang_on_their_systems_and_topics(store: Store, study: Dataset, plain: Dataset) -> None:
    rows = store.query(study, "belonging")
    assert rows["item"].tolist() == list(range(len(ITEMS)))
    system_of = {row["item"]: row["system"] for row in REAL}
    names = sorted({name for name in system_of.values() if name})
    expected = [names.index(system_of[item]) if system_of[item] else -1 for item in ITEMS]
    assert rows["system"].tolist() == expected
    assert set(rows["topic"].tolist()) == {-1}
    assert set(store.query(plain, "belonging")["system"].tolist()) == {-1}
