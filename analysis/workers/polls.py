"""Majority voting: each item's share of votes, and the label most of them give."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.ratings import standing_votes
from analysis.values.votes import Lists, Votes, coded

ALIKE = 1e-9
"""Shares or probabilities no further apart than this are a tie: rounding must not choose the label."""


@dataclass(frozen=True, eq=False)
class Majority:
    """By item: the label with most votes, the share of each option, and whether several have most.

    `posterior` by item holds an array (k,) in the order of `options`; of tied options, the first is the label.
    """

    options: tuple[Any, ...]
    label: dict[Any, Any]
    posterior: dict[Any, Floats]
    tied: dict[Any, bool]


def fit(rater: ArrayLike, item: ArrayLike, label: ArrayLike) -> Majority:
    """The label that most raters give to each item.

    Parameters
    ----------
    rater, item, label : (N,) any ids

    Returns
    -------
    Majority
        of all items that occur; options are the labels that occur, sorted.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Not when raters differ much in care: see `glad`, `dawid_skene` and `pcch`.
    Source: Habibi and Popescu-Belis 2012, section 6 (majority voting).
    """
    of = coded(rater, item, label)
    share = shares(of.votes)
    code, tied = most_probable(share)
    items = of.item_ids.tolist()
    return Majority(
        of.options,
        {name: of.options[place] for name, place in zip(items, code.tolist(), strict=True)},
        dict(zip(items, share, strict=True)),
        dict(zip(items, tied.tolist(), strict=True)),
    )


def shares(votes: Votes) -> Floats:
    """Share (q, k) of each item's votes that each option has (RV with equal weights, Habibi and Popescu-Belis 2012,
    section 5.2, Eq. 2)."""
    cell = votes.item * votes.options + votes.choice
    counts = np.bincount(cell, minlength=votes.items * votes.options).reshape(votes.items, votes.options)
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), np.nan)


def most_probable(posterior: Floats) -> tuple[Codes, NDArray[np.bool_]]:
    """The option with the highest share or probability, and whether others have as much (departs from drawing
    lots among ties, so that the same votes always give the same label)."""
    if posterior.shape[-1] == 0:
        return np.full(posterior.shape[:-1], -1), np.zeros(posterior.shape[:-1], dtype=np.bool_)
    highest = posterior >= posterior.max(axis=-1, keepdims=True) - ALIKE
    known = highest.any(axis=-1)
    return np.where(known, highest.argmax(axis=-1), -1), highest.sum(axis=-1) > 1


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
        """Return what some of the draws (b,) hold."""
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
        """Return how many of them hold a vote."""
        return len(self.number)

    def by_draw(self, of_items: Floats) -> Floats:
        """Sums over each draw's items (…, b) of (…, q), every item as often as it was drawn."""
        return np.asarray(np.add.reduceat(of_items * self.items.often, self._first, axis=-1))

    @cached_property
    def _first(self) -> Codes:
        return np.searchsorted(self.items.draw, np.arange(self.draws))

    @cached_property
    def cell(self) -> Codes:
        """Return for each vote (n,) where its option and item lie among those of all options and items (k, q), flat."""
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
        """Return which answers each rater gave (w, k)."""
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


Names = NDArray[np.str_]
FIRST, SECOND, BOTH, NEITHER, TIE = range(5)
"""Sides of a choice between two systems."""
SIDES = ("first", "second", "both", "neither", "tie")
ALL_TOGETHER = "all together"
USUALLY_DROPPED = 0.4
"""Share of the raters: four of ten in Habibi and Popescu-Belis 2012."""
_ANSWERS = ("choice", "expert", "gold")
Choices = Mapping[str, NDArray[Any]]
"""Choices as they stand in the data set: (n,) columns of codes, -1 where not known, and of seconds and order.

`first` and `second` are the systems as they were shown; the answers are sides by position, or codes of labels.
"""


@dataclass(frozen=True, eq=False)
class Poll:
    """Votes on one question: which of two systems under one design, or which label.

    `options` are named in the order of their codes. `item_code` (items,) and `rater_code` (raters,) are the data
    set's codes of the poll's own; every item and rater has a vote. `first_shown` (n,) says whether `first` stood in
    first position, `row` (n,) where the vote stands among the choices asked for. `expert` and `gold`
    (items,) are options, -1 where not known.
    """

    name: str
    first: str
    second: str
    design: str
    options: tuple[str, ...]
    lists: Lists | None
    votes: Votes
    item_code: Codes
    rater_code: Codes
    item_names: Names
    rater_names: Names
    first_shown: NDArray[np.bool_]
    expert: Codes
    gold: Codes
    seconds: NDArray[np.float64]
    order: NDArray[np.float64]
    row: Codes

    def known(self, answers: str) -> Codes:
        """The "expert" or "gold" answer of each item."""
        return self.expert if answers == "expert" else self.gold

    def one_per_rater(self, merge: str = "mean") -> "Poll":
        """Return the poll with one vote per rater and item (n,), as `analysis.values.ratings.standing_votes` says.

        Source: Krippendorff 2011, "Computing Krippendorff's alpha": a unit has at most one value from each observer.
        """
        votes = self.votes
        kept = np.zeros(len(votes), dtype=np.bool_)
        kept[standing_votes(votes.item, votes.rater, votes.choice, self.order, merge)] = True
        return replace(
            self,
            votes=votes.of(kept),
            first_shown=self.first_shown[kept],
            seconds=self.seconds[kept],
            order=self.order[kept],
            row=self.row[kept],
        )

    @property
    def both_lists(self) -> Lists:
        """Return which options stand for the two systems."""
        if self.lists is None:
            raise InputError("labels are no choices between two systems")
        return self.lists

    @property
    def known_answers(self) -> tuple[str, ...]:
        """Return whose answers are known of some item."""
        return tuple(name for name in ("expert", "gold") if (self.known(name) >= 0).any())


def of_labels(choices: Choices, labels: Sequence[str], items: Names, raters: Names) -> tuple[Poll, ...]:
    """All labels as one poll; none where nobody gave one. `items` and `raters` are names by code."""
    if not len(choices["item"]):
        return ()
    return (_poll(choices, "all labels", ("", ""), "", tuple(labels), None, items, raters),)


def of_pairs(
    choices: Choices, systems: Sequence[str], designs: Sequence[str], items: Names, raters: Names
) -> tuple[Poll, ...]:
    """A poll for each pair of systems under each design."""
    low = np.minimum(choices["first"], choices["second"])
    high = np.maximum(choices["first"], choices["second"])
    key = (low * len(systems) + high) * (len(designs) + 1) + choices["design"] + 1
    order = np.argsort(key, kind="stable")
    by_key = {column: values[order] for column, values in choices.items()} | {"row": order}
    keys, starts = np.unique(key[order], return_index=True)
    made = []
    for each, (start, end) in zip(keys.tolist(), pairwise([*starts.tolist(), len(key)]), strict=True):
        pair, design = divmod(each, len(designs) + 1)
        one, other = (systems[at] for at in divmod(pair, len(systems)))
        told = designs[design - 1] if design else ""
        part = {column: values[start:end] for column, values in by_key.items()}
        part["shown"] = part["first"] <= part["second"]
        for column in _ANSWERS:
            part[column] = _by_system(part[column], part["shown"])
        sides = _sides(part["choice"], told)
        place = np.full(len(SIDES), -1)
        place[list(sides)] = np.arange(len(sides))
        if TIE not in sides and BOTH in sides:
            place[TIE] = place[BOTH]
        for column in _ANSWERS:
            part[column] = np.where(part[column] >= 0, place[part[column]], -1)
        both = next((sides.index(side) for side in (BOTH, TIE) if side in sides), None)
        neither = sides.index(NEITHER) if NEITHER in sides else None
        options = tuple((one, other)[side] if side < BOTH else SIDES[side] for side in sides)
        name = f"{one} vs {other}" + (f", {told}" if told else "")
        lists = Lists(0, 1, both, neither)
        made.append(_poll(part, name, (one, other), told, options, lists, items, raters))
    return tuple(made)


def pooled(polls: Sequence[Poll], raters: Names) -> tuple[Poll, Codes]:
    """All polls as one, and each item's poll: an item is one of a poll, an option a place in its pair."""
    if len(polls) == 1:
        return polls[0], np.zeros(polls[0].votes.items, dtype=np.int64)
    sides = sorted({_side_of(poll, option) for poll in polls for option in range(len(poll.options))})
    code = [np.array([sides.index(_side_of(p, option)) for option in range(len(p.options))]) for p in polls]
    starts = np.cumsum([0, *(poll.votes.items for poll in polls)])
    rater_code, rater = np.unique(
        np.concatenate([poll.rater_code[poll.votes.rater] for poll in polls]), return_inverse=True
    )
    item = np.concatenate([poll.votes.item + start for poll, start in zip(polls, starts, strict=False)])
    choice = np.concatenate([place[poll.votes.choice] for poll, place in zip(polls, code, strict=True)])
    expert, gold = (
        np.concatenate(
            [
                np.where(poll.known(answers) >= 0, place[poll.known(answers)], -1)
                for poll, place in zip(polls, code, strict=True)
            ]
        )
        for answers in ("expert", "gold")
    )
    together = Poll(
        ALL_TOGETHER,
        "",
        "",
        "",
        tuple(SIDES[side] for side in sides),
        None,
        Votes(item, rater, choice, int(starts[-1]), len(rater_code), len(sides)),
        np.concatenate([poll.item_code for poll in polls]),
        rater_code,
        np.concatenate([poll.item_names for poll in polls]),
        raters[rater_code],
        np.concatenate([poll.first_shown for poll in polls]),
        expert,
        gold,
        np.concatenate([poll.seconds for poll in polls]),
        np.concatenate([poll.order for poll in polls]),
        np.concatenate([poll.row for poll in polls]),
    )
    return together, np.repeat(np.arange(len(polls)), [poll.votes.items for poll in polls])


def on_the_same_pair(poll: Poll, polls: Sequence[Poll]) -> list[Poll]:
    """All polls on the pair of systems of one of them, which is among them."""
    return [each for each in polls if (each.first, each.second) == (poll.first, poll.second)]


def usually_dropped(polls: Sequence[Poll]) -> int:
    """Count the least reliable that are dropped first: four of ten, as in the paper, and one is left in each."""
    raters = min(poll.votes.raters for poll in polls)
    return max(min(1, raters - 1), min(raters - 1, round(USUALLY_DROPPED * raters)))


def _by_system(side: Codes, first_shown: NDArray[np.bool_]) -> Codes:
    """From the position that was chosen to the system of the pair."""
    return np.where((side <= SECOND) & (side >= 0) & ~first_shown, SECOND - side, side)


def _sides(choice: Codes, design: str) -> tuple[int, ...]:
    """The options of a design: two, with a tie three, with both and neither four (a tie then means both)."""
    used = set(np.unique(choice).tolist())
    number = re.search(r"\d+", design)
    if NEITHER in used or (number is not None and number.group() == "4"):
        return FIRST, SECOND, BOTH, NEITHER
    if BOTH in used:
        return FIRST, SECOND, BOTH
    if TIE in used or (number is not None and number.group() == "3"):
        return FIRST, SECOND, TIE
    return FIRST, SECOND


def _side_of(poll: Poll, option: int) -> int:
    """Return what an option of a pair means: its own system first or second, both, neither or a tie."""
    return option if option < BOTH else SIDES.index(poll.options[option])


def _poll(
    choices: Choices,
    name: str,
    systems: tuple[str, str],
    design: str,
    options: tuple[str, ...],
    lists: Lists | None,
    items: Names,
    raters: Names,
) -> Poll:
    known = choices["choice"] >= 0
    choices = {"row": np.arange(len(known)), **choices}
    choices = {column: values[known] for column, values in choices.items()}
    item_code, item = np.unique(choices["item"], return_inverse=True)
    rater_code, rater = np.unique(choices["rater"], return_inverse=True)
    weight = choices.get("weight")
    weight = None if weight is None or (weight == 1).all() else weight
    return Poll(
        name,
        *systems,
        design,
        options,
        lists,
        Votes(item, rater, choices["choice"], len(item_code), len(rater_code), len(options), weight),
        item_code,
        rater_code,
        items[item_code],
        raters[rater_code],
        choices.get("shown", np.ones(len(item), dtype=np.bool_)),
        _first_known(item, choices["expert"], len(item_code)),
        _first_known(item, choices["gold"], len(item_code)),
        choices["seconds"],
        choices["order"],
        choices["row"],
    )


def _first_known(item: Codes, answer: Codes, items: int) -> Codes:
    """The first answer known of each item, -1 for none."""
    first = np.full(items, -1)
    known = np.flatnonzero(answer >= 0)[::-1]
    first[item[known]] = answer[known]
    return first
