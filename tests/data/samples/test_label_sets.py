"""The sample of label sets: its design, and the truths planted in it."""

import numpy as np
import pytest

from data.samples import label_sets
from data.samples.label_sets import CARELESS, FINDS, HARD, LABELS, Table

OTHER_SEEDS = range(500, 540)


def jaccard(table: Table) -> dict[str, float]:
    """Mean Jaccard index of each rater's sets with gold."""
    both = [({*a.split(";")}, {*b.split(";")}) for a, b in zip(table["labels"], table["gold"], strict=True)]
    each = np.array([len(one & other) / len(one | other) for one, other in both])
    return {name: each[table["rater_id"] == name].mean() for name in np.unique(table["rater_id"])}


def found(table: Table) -> dict[str, float]:
    """Share of careful raters who name a label, by label, where it is in gold."""
    careful = table["rater_id"] != CARELESS

    def has(column: str, label: str) -> np.ndarray:
        return np.array([label in cell.split(";") for cell in table[column]])

    return {label: float(has("labels", label)[has("gold", label) & careful].mean()) for label in LABELS}


@pytest.fixture(scope="module")
def study() -> Table:
    return label_sets.generate()


def test_each_rater_labels_thirty_posts_and_nobody_one_twice(study: Table) -> None:
    pairs = np.unique(np.array([study["rater_id"], study["item_id"]]), axis=1)
    assert pairs.shape[1] == len(study["labels"]) == 360
    assert set(np.unique(study["rater_id"], return_counts=True)[1]) == {30}
    assert set(np.unique(study["item_id"], return_counts=True)[1]) == {6}
    assert all(set(cell.split(";")) <= {*LABELS} for cell in (*study["labels"], *study["gold"]))


def test_the_careless_rater_is_farthest_from_gold_and_fastest(study: Table) -> None:
    near = jaccard(study)
    assert min(near, key=near.__getitem__) == CARELESS
    assert near[CARELESS] < 0.5 < min(value for name, value in near.items() if name != CARELESS)
    seconds = {name: np.median(study["seconds"][study["rater_id"] == name]) for name in near}
    assert min(seconds, key=seconds.__getitem__) == CARELESS


def test_labels_are_found_as_often_as_planted_and_the_hard_one_least() -> None:
    over = [found(label_sets.generate(seed)) for seed in OTHER_SEEDS]
    means = {label: np.mean([one[label] for one in over]) for label in LABELS}
    assert min(means, key=means.__getitem__) == HARD
    assert all(FINDS[0] < means[label] < FINDS[1] for label in LABELS if label != HARD)


def test_a_seed_is_a_study() -> None:
    same, again, other = label_sets.generate(3), label_sets.generate(3), label_sets.generate(4)
    assert all(np.array_equal(same[name], again[name]) for name in label_sets.COLUMNS)
    assert not np.array_equal(same["labels"], other["labels"])
