"""The sample of votes per grade: its design, and the truths planted in it."""

import numpy as np
import pytest

from data.samples import votes
from data.samples.votes import GRADES, QUALITIES, SYSTEMS, VOTES, Table

OTHER_SEEDS = range(500, 540)


def scores(table: Table) -> np.ndarray:
    """Mean score of each codec."""
    counts = np.column_stack([table[grade] for grade in GRADES])
    means = counts @ np.arange(1, len(GRADES) + 1) / counts.sum(axis=1)
    return np.array([means[table["system"] == system].mean() for system in SYSTEMS])


@pytest.fixture(scope="module")
def study() -> Table:
    return votes.generate()


def test_each_codec_has_each_scene_and_about_ten_votes(study: Table) -> None:
    assert len(set(zip(study["system"].tolist(), study["topic"].tolist(), strict=True))) == 180
    counts = sum(study[grade] for grade in GRADES)
    assert (counts.min(), counts.max()) == VOTES


def test_the_codecs_come_in_the_planted_order_and_two_are_equal(study: Table) -> None:
    over = np.mean([scores(votes.generate(seed)) for seed in OTHER_SEEDS], axis=0)
    for found in (scores(study), over):
        assert (np.argmax(found), np.argmin(found)) == (0, len(SYSTEMS) - 1)
        assert np.corrcoef(found, QUALITIES)[0, 1] > 0.98
    assert over[2] == pytest.approx(over[3], abs=0.05)
    assert (np.diff(np.delete(over, 3)) < 0).all()


def test_a_seed_is_a_study() -> None:
    same, again, other = votes.generate(3), votes.generate(3), votes.generate(4)
    assert all(np.array_equal(same[name], again[name]) for name in votes.COLUMNS)
    assert not np.array_equal(same["good"], other["good"])
