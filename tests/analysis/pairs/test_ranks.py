"""Ranks between which systems lie: a chain, ties, and the law that a rank of the scores lies within."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.pairs.system_table import rank_intervals


def test_a_chain_has_sure_ranks_and_nothing_known_has_all() -> None:
    chain = np.triu(np.ones((4, 4), dtype=bool), 1)
    assert rank_intervals(chain).low.tolist() == rank_intervals(chain).high.tolist() == [1, 2, 3, 4]
    nothing = rank_intervals(np.zeros((3, 3), dtype=bool))
    assert (nothing.low.tolist(), nothing.high.tolist()) == ([1, 1, 1], [3, 3, 3])


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 10))
def test_the_rank_of_the_scores_lies_within(scores: list[int], least: int) -> None:
    value = np.array(scores)
    found = rank_intervals(value[:, None] - value[None, :] >= least)
    first = 1 + (value[None, :] > value[:, None]).sum(axis=1)
    last = (value[None, :] >= value[:, None]).sum(axis=1)
    assert (found.low <= first).all()
    assert (last <= found.high).all()
