"""Polls of votes on one question, shares of their options, and bootstrap samples of votes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.ratings import standing_votes
from analysis.values.votes import Lists, Votes

TIE_TOLERANCE = 1e-9
"""Difference of shares or probabilities up to which they are tied, to allow for rounding."""


def shares(votes: Votes) -> Floats:
    """Return the share (q, k) of each item's votes for each option (RV with equal weights, Habibi and Popescu-Belis
    2012, section 5.2, Eq. 2)."""
    cell = votes.item * votes.options + votes.choice
    counts = np.bincount(cell, minlength=votes.items * votes.options).reshape(votes.items, votes.options)
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), np.nan)


def most_probable_option(posterior: Floats) -> tuple[Codes, NDArray[np.bool_]]:
    """Return the option with the highest share or probability, and True for ties (instead of breaking ties at
    random, so that the same votes always give the same label)."""
    if posterior.shape[-1] == 0:
        return np.full(posterior.shape[:-1], -1), np.zeros(posterior.shape[:-1], dtype=np.bool_)
    highest = posterior >= posterior.max(axis=-1, keepdims=True) - TIE_TOLERANCE
    is_known = highest.any(axis=-1)
    return np.where(is_known, highest.argmax(axis=-1), -1), highest.sum(axis=-1) > 1


COMPACT_BELOW = 0.75
"""Share of draws still iterating up to which converged draws are removed: removal costs about one step."""


@dataclass(frozen=True, eq=False)
class SampledUnits:
    """Raters or items (m,) in bootstrap draws: their `draw`, `multiplicity`, and flat `index` among the units of all
    draws (b, units)."""

    draw: Codes
    multiplicity: Floats
    index: Codes

    def __len__(self) -> int:
        return len(self.index)

    def select(self, mask: Flags, code: Codes) -> "SampledUnits":
        """Return the masked units, with new codes (b,) of their draws."""
        return SampledUnits(code[self.draw[mask]], self.multiplicity[mask], self.index[mask])


@dataclass(frozen=True, eq=False)
class VoteSamples:
    """Votes (n,) of bootstrap draws, by draw and item: `item` and `rater` are codes within all draws, `choice` is
    among the `options`. `number` (b,) of each draw among all draws; draws without a vote are omitted."""

    item: Codes
    rater: Codes
    choice: Codes
    items: SampledUnits
    raters: SampledUnits
    number: Codes
    options: int

    def __len__(self) -> int:
        return len(self.item)

    def select_draws(self, mask: Flags) -> "VoteSamples":
        """Return the votes of the masked draws (b,)."""
        code = np.cumsum(mask) - 1
        keeps_item, keeps_rater = mask[self.items.draw], mask[self.raters.draw]
        keeps_vote = keeps_item[self.item]
        return VoteSamples(
            (np.cumsum(keeps_item) - 1)[self.item[keeps_vote]],
            (np.cumsum(keeps_rater) - 1)[self.rater[keeps_vote]],
            self.choice[keeps_vote],
            self.items.select(keeps_item, code),
            self.raters.select(keeps_rater, code),
            self.number[mask],
            self.options,
        )

    @property
    def draws(self) -> int:
        """Number of draws with a vote."""
        return len(self.number)

    def sum_by_draw(self, of_items: Floats) -> Floats:
        """Return sums (…, b) over each draw's items of values (…, q), weighted by multiplicity."""
        return np.asarray(np.add.reduceat(of_items * self.items.multiplicity, self._first, axis=-1))

    @cached_property
    def _first(self) -> Codes:
        return np.searchsorted(self.items.draw, np.arange(self.draws))

    @cached_property
    def cell(self) -> Codes:
        """Flat index of each vote (n,) into all options and items (k, q)."""
        return self.choice * len(self.items) + self.item

    @cached_property
    def answers(self) -> sparse.csr_array:
        """Votes as a sparse matrix of items by (rater, answer)."""
        offsets = np.concatenate([[0], np.cumsum(np.bincount(self.item, minlength=len(self.items)))])
        column = self.rater * self.options + self.choice
        return sparse.csr_array(
            (np.ones(len(self)), column, offsets), shape=(len(self.items), len(self.raters) * self.options)
        )

    @cached_property
    def answers_transposed(self) -> sparse.csc_array:
        """Transpose of `answers`."""
        return self.answers.T

    @cached_property
    def used(self) -> Flags:
        """Mask of the answers that each rater gave (w, k)."""
        return (
            np.bincount(
                self.rater * self.options + self.choice, minlength=len(self.raters) * self.options
            ).reshape(-1, self.options)
            > 0
        )


def sample_votes(votes: Votes, rater_weight: Floats, item_weight: Floats) -> VoteSamples:
    """Return the votes in b draws of raters (b, raters) and items (b, items) (Owen 2007, section 2)."""
    order = np.argsort(votes.item, kind="stable")
    item, rater, choice = (codes[order] for codes in (votes.item, votes.rater, votes.choice))
    draw, vote = np.nonzero((rater_weight > 0)[:, rater] & (item_weight > 0)[:, item])
    of_item, items = _encode_sampled_units(draw * votes.items + item[vote], item_weight)
    of_rater, raters = _encode_sampled_units(draw * votes.raters + rater[vote], rater_weight)
    number = np.unique(items.draw)
    code = np.zeros(len(item_weight), dtype=np.int64)
    code[number] = np.arange(len(number))
    items, raters = (
        SampledUnits(code[units.draw], units.multiplicity, units.index) for units in (items, raters)
    )
    return VoteSamples(of_item, of_rater, choice[vote], items, raters, number, votes.options)


def _encode_sampled_units(index: Codes, weight: Floats) -> tuple[Codes, SampledUnits]:
    """Return codes of the units of votes (n,) with these indices, and these units."""
    is_used = np.zeros(weight.size, dtype=np.bool_)
    is_used[index] = True
    units = np.flatnonzero(is_used)
    return (np.cumsum(is_used) - 1)[index], SampledUnits(
        units // weight.shape[1], weight.ravel()[units], units
    )


Names = NDArray[np.str_]
FIRST, SECOND, BOTH, NEITHER, TIE = range(5)
"""Sides of a choice between two systems."""
SIDES = ("first", "second", "both", "neither", "tie")
POOLED_NAME = "all together"
DEFAULT_DROPPED_SHARE = 0.4
"""Share of the raters, four of ten in Habibi and Popescu-Belis 2012."""
_ANSWERS = ("choice", "expert", "gold")
Choices = Mapping[str, NDArray[Any]]
"""Choices of the data set: (n,) columns of codes, -1 where unknown, and of seconds and order.

`first` and `second` are the systems in order of position; answers are sides by position, or codes of labels.
"""


@dataclass(frozen=True, eq=False)
class Poll:
    """Votes on one question: a choice between two systems under one design, or a label.

    `options` are named in the order of their codes. `item_code` (items,) and `rater_code` (raters,) are the data
    set's codes of the poll's codes; every item and rater has a vote. `first_shown` (n,) is True where `first` was in
    first position, `row` (n,) is the index of the vote among the choices. `expert` and `gold` (items,) are options,
    -1 where unknown.
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
        """Return the "expert" or "gold" answer of each item."""
        return self.expert if answers == "expert" else self.gold

    def merge_repeated_votes(self, merge: str = "mean") -> "Poll":
        """Return the poll with one vote per rater and item (n,), by `analysis.values.ratings.standing_votes`.

        Source: Krippendorff 2011, "Computing Krippendorff's alpha": a unit has at most one value from each observer.
        """
        votes = self.votes
        mask = np.zeros(len(votes), dtype=np.bool_)
        mask[standing_votes(votes.item, votes.rater, votes.choice, self.order, merge)] = True
        return replace(
            self,
            votes=votes.select(mask),
            first_shown=self.first_shown[mask],
            seconds=self.seconds[mask],
            order=self.order[mask],
            row=self.row[mask],
        )

    @property
    def both_lists(self) -> Lists:
        """Options that stand for the two systems."""
        if self.lists is None:
            raise InputError("labels are no choices between two systems")
        return self.lists

    @property
    def known_answers(self) -> tuple[str, ...]:
        """Names of the answers that are known for some item."""
        return tuple(name for name in ("expert", "gold") if (self.known(name) >= 0).any())


def polls_from_labels(
    choices: Choices, labels: Sequence[str], items: Names, raters: Names
) -> tuple[Poll, ...]:
    """Return all labels as one poll, none without labels. `items` and `raters` are names by code."""
    if not len(choices["item"]):
        return ()
    return (_build_poll(choices, "all labels", ("", ""), "", tuple(labels), None, items, raters),)


def polls_from_pairs(
    choices: Choices, systems: Sequence[str], designs: Sequence[str], items: Names, raters: Names
) -> tuple[Poll, ...]:
    """Return a poll for each pair of systems under each design."""
    low = np.minimum(choices["first"], choices["second"])
    high = np.maximum(choices["first"], choices["second"])
    key = (low * len(systems) + high) * (len(designs) + 1) + choices["design"] + 1
    order = np.argsort(key, kind="stable")
    by_key = {column: values[order] for column, values in choices.items()} | {"row": order}
    keys, starts = np.unique(key[order], return_index=True)
    polls = []
    for each, (start, end) in zip(keys.tolist(), pairwise([*starts.tolist(), len(key)]), strict=True):
        pair, design = divmod(each, len(designs) + 1)
        first_system, second_system = (systems[at] for at in divmod(pair, len(systems)))
        design_name = designs[design - 1] if design else ""
        part = {column: values[start:end] for column, values in by_key.items()}
        part["shown"] = part["first"] <= part["second"]
        for column in _ANSWERS:
            part[column] = _position_to_system(part[column], part["shown"])
        sides = _sides_of_design(part["choice"], design_name)
        option_of_side = np.full(len(SIDES), -1)
        option_of_side[list(sides)] = np.arange(len(sides))
        if TIE not in sides and BOTH in sides:
            option_of_side[TIE] = option_of_side[BOTH]
        for column in _ANSWERS:
            part[column] = np.where(part[column] >= 0, option_of_side[part[column]], -1)
        both_option = next((sides.index(side) for side in (BOTH, TIE) if side in sides), None)
        neither_option = sides.index(NEITHER) if NEITHER in sides else None
        options = tuple((first_system, second_system)[side] if side < BOTH else SIDES[side] for side in sides)
        name = f"{first_system} vs {second_system}" + (f", {design_name}" if design_name else "")
        lists = Lists(0, 1, both_option, neither_option)
        polls.append(
            _build_poll(part, name, (first_system, second_system), design_name, options, lists, items, raters)
        )
    return tuple(polls)


def pool_polls(polls: Sequence[Poll], raters: Names) -> tuple[Poll, Codes]:
    """Pool all polls into one, with each item's poll; items are distinct by poll, options are positions in the pair."""
    if len(polls) == 1:
        return polls[0], np.zeros(polls[0].votes.items, dtype=np.int64)
    sides = sorted({_side_of(poll, option) for poll in polls for option in range(len(poll.options))})
    code = [np.array([sides.index(_side_of(p, option)) for option in range(len(p.options))]) for p in polls]
    starts = np.cumsum([0, *(poll.votes.items for poll in polls)])
    rater_code, rater = np.unique(
        np.concatenate([poll.rater_code[poll.votes.rater] for poll in polls]), return_inverse=True
    )
    item = np.concatenate([poll.votes.item + start for poll, start in zip(polls, starts, strict=False)])
    choice = np.concatenate(
        [positions[poll.votes.choice] for poll, positions in zip(polls, code, strict=True)]
    )
    expert, gold = (
        np.concatenate(
            [
                np.where(poll.known(answers) >= 0, positions[poll.known(answers)], -1)
                for poll, positions in zip(polls, code, strict=True)
            ]
        )
        for answers in ("expert", "gold")
    )
    pooled = Poll(
        POOLED_NAME,
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
    return pooled, np.repeat(np.arange(len(polls)), [poll.votes.items for poll in polls])


def polls_of_same_pair(poll: Poll, polls: Sequence[Poll]) -> list[Poll]:
    """Return all polls on the same pair of systems, this poll included."""
    return [each for each in polls if (each.first, each.second) == (poll.first, poll.second)]


def default_dropped_raters(polls: Sequence[Poll]) -> int:
    """Return the default number of least reliable raters to drop: four of ten, as in the paper, leaving at least
    one."""
    raters = min(poll.votes.raters for poll in polls)
    return max(min(1, raters - 1), min(raters - 1, round(DEFAULT_DROPPED_SHARE * raters)))


def _position_to_system(side: Codes, first_shown: NDArray[np.bool_]) -> Codes:
    """Convert chosen positions to systems of the pair."""
    return np.where((side <= SECOND) & (side >= 0) & ~first_shown, SECOND - side, side)


def _sides_of_design(choice: Codes, design: str) -> tuple[int, ...]:
    """Return the options of a design: two, with a tie three, with both and neither four (a tie then means both)."""
    codes = set(np.unique(choice).tolist())
    number = re.search(r"\d+", design)
    if NEITHER in codes or (number is not None and number.group() == "4"):
        return FIRST, SECOND, BOTH, NEITHER
    if BOTH in codes:
        return FIRST, SECOND, BOTH
    if TIE in codes or (number is not None and number.group() == "3"):
        return FIRST, SECOND, TIE
    return FIRST, SECOND


def _side_of(poll: Poll, option: int) -> int:
    """Return the side of an option: first or second system, both, neither or a tie."""
    return option if option < BOTH else SIDES.index(poll.options[option])


def _build_poll(
    choices: Choices,
    name: str,
    systems: tuple[str, str],
    design: str,
    options: tuple[str, ...],
    lists: Lists | None,
    items: Names,
    raters: Names,
) -> Poll:
    is_known = choices["choice"] >= 0
    choices = {"row": np.arange(len(is_known)), **choices}
    choices = {column: values[is_known] for column, values in choices.items()}
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
        _first_known_answer(item, choices["expert"], len(item_code)),
        _first_known_answer(item, choices["gold"], len(item_code)),
        choices["seconds"],
        choices["order"],
        choices["row"],
    )


def _first_known_answer(item: Codes, answer: Codes, items: int) -> Codes:
    """Return the first known answer of each item, -1 for none."""
    first = np.full(items, -1)
    known = np.flatnonzero(answer >= 0)[::-1]
    first[item[known]] = answer[known]
    return first
