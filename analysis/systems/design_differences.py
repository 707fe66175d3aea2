"""Whether the preference depends on how the question was put: two designs on the same draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.carried import NONE, carried, two_way_ends
from analysis.resampling.draws import multiplicities
from analysis.systems.preference import (
    GLAD,
    GLAD_COST,
    METHODS,
    PreferenceSpec,
    parts_of_votes,
    share_of_first,
    shares,
    weighed,
    why_undefined,
)
from analysis.values.estimate import Estimate
from analysis.values.types import Floats, OnProgress
from analysis.values.votes import Lists, Votes
from analysis.workers import pcch


@dataclass(frozen=True, eq=False)
class Design:
    """One design's votes, with ids that tell which items (q,) and raters (w,) another design shares with it."""

    votes: Votes
    lists: Lists
    items: NDArray[Any]
    raters: NDArray[Any]


def between_designs(
    first: Design,
    second: Design,
    spec: PreferenceSpec | None = None,
    methods: Sequence[str] = METHODS,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> dict[str, Estimate]:
    """How far the first list's share under one design lies above that under another, by method.

    Parameters
    ----------
    first, second : the same pair of systems, its first list the same; (q,) and (w,) ids of one kind
    spec, methods : as for `preference`
    raters_are_persons : if not, intervals are over items only
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    dict of method -> Estimate; n counts the items of either design

    Raises
    ------
    InputError
        where more raters are to be dropped than all but one of a design.

    Notes
    -----
    Each draw takes items once for both designs, and raters of both carry one sum, so that what they share does not
    count as a difference.
    Source: Habibi and Popescu-Belis 2012, section 6 (stability over HIT designs, Tables 2 to 6); Cameron, Gelbach and
    Miller 2011, section 2.
    """
    spec = PreferenceSpec() if spec is None else spec
    sides = first, second
    items, raters = (
        np.unique(np.concatenate([getattr(side, what) for side in sides])) for what in ("items", "raters")
    )
    item_at = [np.searchsorted(items, side.items) for side in sides]
    rater = np.concatenate([np.searchsorted(raters, side.raters)[side.votes.rater] for side in sides])
    reliability = [pcch.fit_votes(side.votes, spec.min_votes).r for side in sides]
    values = [weighed(side.votes, side.lists, spec, methods) for side in sides]
    drawn: dict[str, list[Floats]] = {method: [] for method in methods}
    cost = sum(len(side.votes) for side in sides) * (GLAD_COST if GLAD in methods else 1)
    for _, item_weight in multiplicities(len(raters), len(items), spec.draws, spec.seed, cost, on_progress):
        a, b = (
            shares(
                side.votes,
                side.lists,
                spec,
                methods,
                np.ones((len(item_weight), side.votes.raters)),
                item_weight[:, its],
            )
            for side, its in zip(sides, item_at, strict=True)
        )
        for method in methods:
            drawn[method].append(a[method] - b[method])
    differences = {}
    for method in methods:
        ours, theirs = (
            float(share_of_first(*value[method], side.lists)[0])
            for value, side in zip(values, sides, strict=True)
        )
        reasons = [
            why_undefined(*value[method], side.lists) for value, side in zip(values, sides, strict=True)
        ]
        of_draws = np.concatenate(drawn[method] or [np.empty(0)])
        of_raters = NONE
        if len(of_draws) and raters_are_persons and not any(reasons):
            parts = [
                sign * parts_of_votes(side.votes, side.lists, spec, method, *value[method], r)
                for sign, side, value, r in zip((1, -1), sides, values, reliability, strict=True)
            ]
            of_raters = carried(np.concatenate(parts), rater, len(raters))
        low, high = two_way_ends(ours - theirs, of_draws, len(items), of_raters, spec.level)
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
        differences[method] = Estimate(
            ours - theirs, float(low), float(high), len(items), reasons[0] or reasons[1]
        )
    return differences
