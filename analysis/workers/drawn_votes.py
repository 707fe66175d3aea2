"""The votes that draws of raters and items hold, one draw's after the other's: what a draw leaves out costs nothing.

A draw with replacement leaves out more than a third of the items and, where they are drawn too, of the raters, so that
it holds two votes of five. Copies are not written down: a rater and an item say how often they were drawn.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from analysis.values.types import Codes, Flags, Floats
from analysis.values.votes import Votes

STILL_IN_HAND = 0.75
"""Draws are taken out of hand when no more than this share of them still climbs: it costs about a step."""


@dataclass(frozen=True, eq=False)
class Units:
    """The raters or the items (m,) that draws hold: in which `draw`, how `often`, and their `place` among the units of
    all draws (b, units), flat."""

    draw: Codes
    often: Floats
    place: Codes

    def __len__(self) -> int:
        return len(self.place)

    def of(self, kept: Flags, code: Codes) -> "Units":
        """Some of them, under new codes (b,) of their draws."""
        return Units(code[self.draw[kept]], self.often[kept], self.place[kept])


@dataclass(frozen=True, eq=False)
class DrawnVotes:
    """Votes (n,) of so many `draws`, by draw and item: codes of an item and a rater that are this draw's own, and a
    choice among the `options`. `number` (b,) of each draw among all those asked for: the rest hold no vote."""

    item: Codes
    rater: Codes
    choice: Codes
    items: Units
    raters: Units
    number: Codes
    options: int

    def __len__(self) -> int:
        return len(self.item)

    def of_draws(self, kept: Flags) -> "DrawnVotes":
        """What some of the draws (b,) hold."""
        code = np.cumsum(kept) - 1
        of_items, of_raters = kept[self.items.draw], kept[self.raters.draw]
        votes = of_items[self.item]
        return DrawnVotes(
            (np.cumsum(of_items) - 1)[self.item[votes]],
            (np.cumsum(of_raters) - 1)[self.rater[votes]],
            self.choice[votes],
            self.items.of(of_items, code),
            self.raters.of(of_raters, code),
            self.number[kept],
            self.options,
        )

    @property
    def draws(self) -> int:
        """How many of them hold a vote."""
        return len(self.number)

    def by_draw(self, of_items: Floats) -> Floats:
        """Sums over each draw's items (…, b) of (…, q), every item as often as it was drawn."""
        return np.asarray(np.add.reduceat(of_items * self.items.often, self._first, axis=-1))

    @cached_property
    def _first(self) -> Codes:
        return np.searchsorted(self.items.draw, np.arange(self.draws))

    @cached_property
    def cell(self) -> Codes:
        """Of each vote (n,), where its option and item lie among those of all options and items (k, q), flat."""
        return self.choice * len(self.items) + self.item

    @cached_property
    def answers(self) -> sparse.csr_array:
        """The votes as a matrix of items by (rater, answer)."""
        ends = np.concatenate([[0], np.cumsum(np.bincount(self.item, minlength=len(self.items)))])
        column = self.rater * self.options + self.choice
        return sparse.csr_array(
            (np.ones(len(self)), column, ends), shape=(len(self.items), len(self.raters) * self.options)
        )

    @cached_property
    def given(self) -> sparse.csc_array:
        """The same the other way round."""
        return self.answers.T

    @cached_property
    def used(self) -> Flags:
        """Which answers each rater gave (w, k)."""
        return (
            np.bincount(
                self.rater * self.options + self.choice, minlength=len(self.raters) * self.options
            ).reshape(-1, self.options)
            > 0
        )


def drawn_votes(votes: Votes, rater_weight: Floats, item_weight: Floats) -> DrawnVotes:
    """The votes that b draws of raters (b, raters) and items (b, items) hold (Owen 2007, section 2)."""
    order = np.argsort(votes.item, kind="stable")
    item, rater, choice = (codes[order] for codes in (votes.item, votes.rater, votes.choice))
    draw, vote = np.nonzero((rater_weight > 0)[:, rater] & (item_weight > 0)[:, item])
    of_item, items = _held(draw * votes.items + item[vote], item_weight)
    of_rater, raters = _held(draw * votes.raters + rater[vote], rater_weight)
    number = np.unique(items.draw)
    code = np.zeros(len(item_weight), dtype=np.int64)
    code[number] = np.arange(len(number))
    items, raters = (Units(code[units.draw], units.often, units.place) for units in (items, raters))
    return DrawnVotes(of_item, of_rater, choice[vote], items, raters, number, votes.options)


def _held(place: Codes, weight: Floats) -> tuple[Codes, Units]:
    """Codes of those units that votes (n,) with such places are about, and these units."""
    held = np.zeros(weight.size, dtype=np.bool_)
    held[place] = True
    units = np.flatnonzero(held)
    return (np.cumsum(held) - 1)[place], Units(units // weight.shape[1], weight.ravel()[units], units)
