"""The open study's choices as votes, one batch for each pair of systems under one design, shelved.

In the file a choice is told by position; here it is told by system. The first system of a pair is the one
whose name comes first, whatever its position, so that a batch means the same for all its items.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.values.votes import Lists, Votes
from charts.parts.numbers import count
from findings.study import ALL_GROUPS, Study
from panels.parts.shelf import key_of, result
from panels.parts.store import query

Codes = NDArray[np.int64]
FIRST, SECOND, BOTH, NEITHER, TIE = range(5)
"""Sides of a choice between two systems, as the query `choices` tells them."""
SIDES = ("first", "second", "both", "neither", "tie")
ALL_TOGETHER = "all together"


@dataclass(frozen=True, eq=False)
class Batch:
    """Votes that are worked on at once: on one pair of systems under one design, or on labels.

    `options` are named in the order of their codes. `item_code` (items,) and `rater_code` (raters,) are the data
    set's codes of the batch's own; every item and rater has a vote. `first_shown` (n,) says whether `first` stood
    in first position. `expert` and `gold` (items,) are options, -1 where not known.
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
    item_names: NDArray[np.str_]
    rater_names: NDArray[np.str_]
    first_shown: NDArray[np.bool_]
    expert: Codes
    gold: Codes
    seconds: NDArray[np.float64]
    order: NDArray[np.float64]


def is_pairs(study: Study) -> bool:
    """Whether systems were compared in pairs; otherwise labels were given."""
    return study.whole.has("option_a", "option_b")


def batches(study: Study) -> tuple[Batch, ...]:
    """Every pair of systems under every design, or all labels as one."""
    return result(
        key_of(study.dataset, "batches", study.candidate),
        lambda: tuple(_of_pairs(study) if is_pairs(study) else _of_labels(study)),
    )


def chosen_batch(study: Study) -> Batch:
    """The batch to look at, chosen where there are several."""
    there = {batch.name: batch for batch in batches(study)}
    if len(there) == 1:
        return next(iter(there.values()))
    return there[st.selectbox("Comparison", list(there), key="compared", bind="query-params", width=320)]


def pooled(study: Study) -> tuple[Batch, Codes]:
    """All batches as one, and each item's batch: an item is one of a batch, an option a place in its pair."""
    return result(key_of(study.dataset, "pooled", study.candidate), lambda: _pooled(study))


COUNTED_WRITTEN = dict.fromkeys(("Votes", "Items", "Workers"), count)


def counted(there: Sequence[Batch]) -> pd.DataFrame:
    """How often each option of each batch was chosen."""
    rows = []
    for batch in there:
        chosen = batch.votes.per_option.tolist()
        rows += [
            {
                "Comparison": batch.name,
                "Items": batch.votes.items,
                "Workers": batch.votes.raters,
                "Option": option,
                "Votes": votes,
            }
            for option, votes in zip(batch.options, chosen, strict=True)
        ]
    return pd.DataFrame(rows)


def _of_labels(study: Study) -> list[Batch]:
    rows = _rows(study)
    names = query(study.dataset, "answers")["name"].tolist()
    return [_batch(study, rows, "all labels", ("", ""), "", tuple(names), None)] if len(rows["item"]) else []


def _of_pairs(study: Study) -> list[Batch]:
    rows = _rows(study)
    systems = query(study.dataset, "options")["name"].tolist()
    designs = query(study.dataset, "designs")["name"].tolist()
    low, high = np.minimum(rows["first"], rows["second"]), np.maximum(rows["first"], rows["second"])
    key = (low * len(systems) + high) * (len(designs) + 1) + rows["design"] + 1
    made = []
    for each in np.unique(key).tolist():
        pair, design = divmod(each, len(designs) + 1)
        names = tuple(systems[at] for at in divmod(pair, len(systems)))
        told = designs[design - 1] if design else ""
        part = {column: values[key == each] for column, values in rows.items()}
        part["shown"] = part["first"] <= part["second"]
        for column in ("choice", "expert", "gold"):
            part[column] = _by_system(part[column], part["shown"])
        sides = _sides(part, told)
        place = np.full(len(SIDES), -1)
        place[list(sides)] = np.arange(len(sides))
        if TIE not in sides and BOTH in sides:
            place[TIE] = place[BOTH]
        for column in ("choice", "expert", "gold"):
            part[column] = np.where(part[column] >= 0, place[part[column]], -1)
        both = next((sides.index(side) for side in (BOTH, TIE) if side in sides), None)
        neither = sides.index(NEITHER) if NEITHER in sides else None
        options = tuple(names[side] if side < BOTH else SIDES[side] for side in sides)
        name = f"{names[0]} vs {names[1]}" + (f", {told}" if told else "")
        made.append(_batch(study, part, name, names, told, options, Lists(0, 1, both, neither)))
    return made


def _by_system(side: Codes, first_shown: NDArray[np.bool_]) -> Codes:
    """From the position that was chosen to the system of the pair."""
    return np.where((side <= SECOND) & (side >= 0) & ~first_shown, SECOND - side, side)


def _sides(part: dict[str, Any], design: str) -> tuple[int, ...]:
    """The options of a design: two, with a tie three, with both and neither four (a tie then means both)."""
    used = set(np.unique(part["choice"]).tolist())
    told = re.search(r"\d+", design)
    if NEITHER in used or (told is not None and told.group() == "4"):
        return FIRST, SECOND, BOTH, NEITHER
    if BOTH in used:
        return FIRST, SECOND, BOTH
    if TIE in used or (told is not None and told.group() == "3"):
        return FIRST, SECOND, TIE
    return FIRST, SECOND


def _batch(
    study: Study,
    rows: dict[str, Any],
    name: str,
    systems: tuple[str, ...],
    design: str,
    options: tuple[str, ...],
    lists: Lists | None,
) -> Batch:
    known = rows["choice"] >= 0
    rows = {column: values[known] for column, values in rows.items()}
    item_code, item = np.unique(rows["item"], return_inverse=True)
    rater_code, rater = np.unique(rows["rater"], return_inverse=True)
    return Batch(
        name,
        *systems,
        design,
        options,
        lists,
        Votes(item, rater, rows["choice"], len(item_code), len(rater_code), len(options)),
        item_code,
        rater_code,
        query(study.dataset, "item_names")["name"][item_code],
        query(study.dataset, "rater_names")["name"][rater_code],
        rows.get("shown", np.ones(len(item), dtype=np.bool_)),
        _first_known(item, rows["expert"], len(item_code)),
        _first_known(item, rows["gold"], len(item_code)),
        rows["seconds"],
        rows["order"],
    )


def _first_known(item: Codes, answer: Codes, items: int) -> Codes:
    """The first answer known of each item, -1 for none."""
    found = np.full(items, -1)
    known = np.flatnonzero(answer >= 0)[::-1]
    found[item[known]] = answer[known]
    return found


def _pooled(study: Study) -> tuple[Batch, Codes]:
    there = batches(study)
    if len(there) == 1:
        return there[0], np.zeros(there[0].votes.items, dtype=np.int64)
    used = {_side_of(batch, option) for batch in there for option in range(len(batch.options))}
    sides = sorted(used)
    options = tuple(SIDES[side] for side in sides)
    code = [np.array([sides.index(_side_of(b, option)) for option in range(len(b.options))]) for b in there]
    starts = np.cumsum([0, *(batch.votes.items for batch in there)])
    rater_code, rater = np.unique(
        np.concatenate([batch.rater_code[batch.votes.rater] for batch in there]), return_inverse=True
    )
    item = np.concatenate([batch.votes.item + start for batch, start in zip(there, starts, strict=False)])
    choice = np.concatenate([place[batch.votes.choice] for batch, place in zip(there, code, strict=True)])
    answers = {
        column: np.concatenate(
            [
                np.where(getattr(batch, column) >= 0, place[getattr(batch, column)], -1)
                for batch, place in zip(there, code, strict=True)
            ]
        )
        for column in ("expert", "gold")
    }
    batch = Batch(
        ALL_TOGETHER,
        "",
        "",
        "",
        options,
        None,
        Votes(item, rater, choice, int(starts[-1]), len(rater_code), len(options)),
        np.concatenate([batch.item_code for batch in there]),
        rater_code,
        np.concatenate([batch.item_names for batch in there]),
        query(study.dataset, "rater_names")["name"][rater_code],
        np.concatenate([batch.first_shown for batch in there]),
        answers["expert"],
        answers["gold"],
        np.concatenate([batch.seconds for batch in there]),
        np.concatenate([batch.order for batch in there]),
    )
    return batch, np.repeat(np.arange(len(there)), [batch.votes.items for batch in there])


def _side_of(batch: Batch, option: int) -> int:
    """What an option of a pair means: its own system first or second, both, neither or a tie."""
    return option if option < BOTH else SIDES.index(batch.options[option])


def _rows(study: Study) -> dict[str, Any]:
    chosen = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}
    return query(study.dataset, "choices", **chosen)
