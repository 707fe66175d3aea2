"""The sample of rankings: its design, and the truths planted in it."""

import numpy as np
import pytest

from analysis.assessors.typical_rater import compare_with_typical, name_raters, pooled_variance
from analysis.systems.rank_agreement import correlation_with_others
from analysis.systems.ranked_options import RankedOptions, fit_ranked, implied_pairs, ranked_options
from data.samples import rankings
from data.samples.rankings import CARELESS, SYSTEMS, Table

OTHER_SEEDS = range(500, 540)


def ranked(table: Table) -> RankedOptions:
    return ranked_options(*(table[name] for name in ("item_id", "rater_id", "option", "rank")))


def strengths(table: Table) -> np.ndarray:
    of = ranked(table)
    found = fit_ranked(of, implied_pairs(of)).strength
    return np.asarray(found - found.mean())


@pytest.fixture(scope="module")
def study() -> Table:
    return rankings.generate()


def test_every_rater_ranks_all_systems_on_ten_segments(study: Table) -> None:
    pairs = np.array([study["rater_id"], study["item_id"]])
    each, times = np.unique(pairs, axis=1, return_counts=True)
    assert set(times) == {5}
    assert set(np.unique(each[0], return_counts=True)[1]) == {10}
    assert set(np.unique(each[1], return_counts=True)[1]) == {5}
    for name in ("rank", "position"):
        assert (np.sort(study[name].reshape(-1, 5), axis=1) == np.arange(1, 6)).all()


def test_the_order_of_the_systems_is_found_and_two_are_equal(study: Table) -> None:
    planted = np.array([*SYSTEMS.values()]) - np.mean([*SYSTEMS.values()])
    over = np.mean([strengths(rankings.generate(seed)) for seed in OTHER_SEEDS], axis=0)
    for found in (strengths(study), over):
        assert np.argmax(found) == 0
        assert np.corrcoef(found, planted)[0, 1] > 0.98
    assert over[1] == pytest.approx(over[2], abs=0.05)


def test_the_careless_rater_alone_ranks_unlike_the_others_and_hurries(study: Table) -> None:
    changes = correlation_with_others(ranked(study))
    (named,) = name_raters([compare_with_typical(changes.z, changes.units, pooled_variance(changes))])
    names = np.unique(study["rater_id"])
    assert names[changes.raters[named.below]].tolist() == [CARELESS]
    seconds = {name: np.median(study["seconds"][study["rater_id"] == name]) for name in names}
    assert min(seconds, key=seconds.__getitem__) == CARELESS


def test_translators_agree_more_than_students() -> None:
    more = []
    for seed in OTHER_SEEDS:
        table = rankings.generate(seed)
        changes = correlation_with_others(ranked(table))
        first = np.unique(table["rater_id"], return_index=True)[1]
        translators = (table["rater_profession"][first] == "translator")[changes.raters]
        careful = (np.unique(table["rater_id"]) != CARELESS)[changes.raters]
        more.append(changes.z[translators].mean() > changes.z[careful & ~translators].mean())
    assert np.mean(more) > 0.9


def test_a_seed_is_a_study() -> None:
    same, again, other = rankings.generate(3), rankings.generate(3), rankings.generate(4)
    assert all(np.array_equal(same[name], again[name]) for name in rankings.COLUMNS)
    assert not np.array_equal(same["rank"], other["rank"])
