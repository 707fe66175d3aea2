"""Time of bootstrap draws of PRV, compared with a loop over the function for one study, and that both agree.

1,000 draws of items and workers on one poll of the sample `comparisons` (240 votes, 4 options). The loop makes each
draw's rows and calls `pcch.fit` and `prv_of_lists` on them, or all closed methods on each draw; the draws
are the same. All are timed in turns.
"""

import numpy as np

from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.systems.preference import CLOSED, PCCH, PreferenceSpec, preference_shares
from analysis.values.votes import Lists, Votes, encode_votes
from analysis.workers import pcch
from benchmarks.ratio import Ratio, median_seconds
from data.samples import comparisons

DRAWS = 1_000
RUNS = 5
PAIR, DESIGN = ("AW", "UI"), "4-choice"
LISTS = Lists(0, 1, 2, 3)
SPEC = PreferenceSpec(dropped=4, draws=DRAWS)


def study() -> Votes:
    """Return the poll's votes by system."""
    table = comparisons.generate()
    pair = np.sort([table["option_a"], table["option_b"]], axis=0) == np.array(PAIR)[:, None]
    part = {name: of[pair.all(axis=0) & (table["design"] == DESIGN)] for name, of in table.items()}
    side = np.searchsorted(comparisons.WORDS, part["choice"], sorter=np.argsort(comparisons.WORDS))
    side = np.argsort(comparisons.WORDS)[side]
    choice = np.where((side < 2) & (part["option_a"] != PAIR[0]), 1 - side, side)
    return encode_votes(part["rater_id"], part["item_id"], choice, range(4)).votes


def bootstrap_all(votes: Votes, methods: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Compute all bootstrap samples in one call."""
    blocks = [
        preference_shares(votes, LISTS, SPEC, methods, *weights)
        for weights in crossed_bootstrap_counts(votes.raters, votes.items, DRAWS, SPEC.seed, len(votes))
    ]
    return {method: np.concatenate([block[method] for block in blocks]) for method in methods}


def loop(votes: Votes) -> np.ndarray:
    """Compute one bootstrap sample after the other from rows."""
    shares = []
    for rater_weight, item_weight in crossed_bootstrap_counts(
        votes.raters, votes.items, DRAWS, SPEC.seed, len(votes)
    ):
        for of_raters, of_items in zip(rater_weight, item_weight, strict=True):
            often = of_raters[votes.rater] * of_items[votes.item]
            row = np.repeat(np.arange(len(votes)), often.astype(np.int64))
            start = np.repeat(np.cumsum(often) - often, often.astype(np.int64))
            copy = (np.arange(len(row)) - start) // of_raters[votes.rater[row]]
            item = votes.item[row] * votes.items + copy.astype(np.int64)
            fitted = pcch.fit(votes.rater[row], item, votes.choice[row], range(4), SPEC.min_votes)
            shares.append(fitted.prv_of_lists(0, 1, 2, 3)[0])
    return np.array(shares)


def loop_of_all(votes: Votes) -> dict[str, np.ndarray]:
    """Compute one bootstrap sample after the other by every closed-form method."""
    shares = [
        preference_shares(votes, LISTS, SPEC, CLOSED, of_raters[None], of_items[None])
        for rater_weight, item_weight in crossed_bootstrap_counts(
            votes.raters, votes.items, DRAWS, SPEC.seed, len(votes)
        )
        for of_raters, of_items in zip(rater_weight, item_weight, strict=True)
    ]
    return {method: np.concatenate([one[method] for one in shares]) for method in CLOSED}


def rows() -> list[Ratio]:
    votes = study()
    np.testing.assert_allclose(bootstrap_all(votes, (PCCH,))[PCCH], loop(votes), atol=1e-12, rtol=0)
    expected = loop_of_all(votes)
    for method, found in bootstrap_all(votes, CLOSED).items():
        np.testing.assert_allclose(found, expected[method], atol=1e-12, rtol=0)
    pcch_seconds, looped, all_closed, all_looped = median_seconds(
        RUNS,
        lambda: bootstrap_all(votes, (PCCH,)),
        lambda: loop(votes),
        lambda: bootstrap_all(votes, CLOSED),
        lambda: loop_of_all(votes),
    )
    description = f"{DRAWS:,} draws of PRV, {len(votes)} votes of 4 options"
    return [
        Ratio(
            f"{description}: PCC-H ({1000 * pcch_seconds:.0f} ms)",
            f"`pcch.fit` and `prv_of_lists` on each draw's rows ({looped:.2f} s), equal to 1e-12",
            looped / pcch_seconds,
            50,
            "at least",
        ),
        Ratio(
            f"{description}: all five closed methods ({1000 * all_closed:.0f} ms)",
            f"`preference.shares` of each draw separately ({all_looped:.2f} s), equal to 1e-12",
            all_looped / all_closed,
            50,
            "at least",
        ),
    ]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
