"""A planned study as simulated, beside its formula; and as a table to be filled in."""

from math import ceil, floor

import numpy as np
import pandas as pd

from analysis.planning.assignment import assigned_study
from analysis.planning.difference import DifferencePlan
from analysis.planning.simulated_difference import SimulatedPower
from features.plotting.numbers import count, decimal, share
from features.tables import Shown
from features.words import Sentence, of_many
from findings.planning.apart import Planned

STUDIES = 1000
MOST_CELLS = 1500
"""Pairs of a rater and an item up to which a study is simulated: the analysis of one takes their third power."""
SYSTEMS = ("A", "B")


def too_large(plan: DifferencePlan) -> Sentence | None:
    """That a study is too large to be simulated here."""
    if plan.cells <= MOST_CELLS:
        return None
    return (
        "{cells} pairs of a rater and an item are too many to simulate here (at most {most}): the formula is only the "
        "surer the larger a study is.",
        {"cells": count(plan.cells), "most": count(MOST_CELLS)},
    )


def side_by_side(one: Planned, simulated: SimulatedPower) -> Shown:
    """Formula and simulation."""
    rows = pd.DataFrame(
        {
            "By": ["formula", "simulation"],
            "Power": [one.power.value, simulated.power],
            "Half of the interval": [one.half_width, simulated.half_width],
            "Studies": [np.nan, simulated.studies],
        }
    )
    return rows, {
        "Power": lambda value: share(value, 1),
        "Half of the interval": lambda value: decimal(value, 3),
        "Studies": count,
    }


def simulated_beside(one: Planned, simulated: SimulatedPower, seed: int) -> Sentence:
    """How often simulated studies find the difference, and whether the formula says the same."""
    apart = abs(simulated.power - one.power.value)
    return (
        "Of {studies} simulated (seed {seed}) <b>{found}</b> find the difference, give or take {error}; "
        + (
            "the formula says the same."
            if apart <= 2 * simulated.error + 0.03
            else "the formula says {formula}."
        ),
        {
            "studies": of_many(simulated.studies, "studies"),
            "seed": seed,
            "found": share(simulated.power, 1),
            "error": share(simulated.error, 1),
            "formula": share(one.power.value, 1),
        },
    )


def template(plan: DifferencePlan, most_per_rater: int | None, seed: int) -> pd.DataFrame:
    """A row per rating to collect, its score empty: filled in, the Data page reads it."""
    study = assigned_study(plan, most_per_rater, seed)
    topic = _named("item", study.item)
    system = np.array(SYSTEMS)[study.system]
    meets_both = not plan.layout.items_within
    return pd.DataFrame(
        {
            "rater_id": _named("rater", study.rater),
            "order": study.order,
            "item_id": [f"{one} {of}" for one, of in zip(topic, system, strict=True)]
            if meets_both
            else topic,
            "system": system,
            **({"topic": topic} if meets_both else {}),
            "score": "",
        }
    )


def _named(what: str, codes: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[str]:
    width = len(str(int(codes.max()) + 1))
    return [f"{what} {code + 1:0{width}}" for code in codes.tolist()]


def template_note(plan: DifferencePlan, seed: int) -> Sentence:
    """What is in the template."""
    load = plan.ratings / plan.raters
    return (
        "{ratings} to collect: each item has its raters, each rater {loads} ratings in an order of their own (seed "
        "{seed}). Type the scores in and open the file on the Data page.",
        {
            "ratings": of_many(plan.ratings, "ratings"),
            "loads": count(load) if load == int(load) else f"{count(floor(load))} to {count(ceil(load))}",
            "seed": seed,
        },
    )
