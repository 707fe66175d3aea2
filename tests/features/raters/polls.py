"""Polls to speak of, without a store behind them."""

from collections.abc import Mapping

import numpy as np

from analysis.values.votes import Lists, Votes
from analysis.workers.polls import Poll

NONE = -1


def poll_of(
    answers: Mapping[str, str],
    letters: str = "12=0",
    options: tuple[str, ...] = ("AW", "UI", "both", "neither"),
    design: str = "4-choice",
    gold: str = "",
) -> Poll:
    """One string of choices per worker, a letter per item, "." for none; options in the order of their letters."""
    votes = [
        (item, rater, letters.index(letter))
        for rater, letters_of_worker in enumerate(answers.values())
        for item, letter in enumerate(letters_of_worker)
        if letter != "."
    ]
    item, rater, choice = np.array(votes, dtype=np.int64).T
    items, raters = int(item.max()) + 1, len(answers)
    return Poll(
        f"AW vs UI, {design}",
        "AW",
        "UI",
        design,
        options,
        Lists(0, 1, *range(2, len(options))),
        Votes(item, rater, choice, items, raters, len(options)),
        np.arange(items),
        np.arange(raters),
        np.array([f"q{at}" for at in range(items)]),
        np.array(list(answers)),
        np.arange(len(votes)) % 2 == 0,
        np.full(items, NONE),
        np.array([letters.index(letter) if letter != "." else NONE for letter in gold or "." * items]),
        np.ones(len(votes)),
        np.arange(len(votes), dtype=np.float64),
        np.arange(len(votes)),
    )
