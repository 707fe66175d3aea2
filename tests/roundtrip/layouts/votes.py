"""Layouts with the number of votes in the column of each grade, or their share."""

from collections import Counter

import numpy as np

from tests.roundtrip.layouts.long import finish
from tests.roundtrip.noise import Noise, Rows, Written
from tests.roundtrip.studies import Study

SAID = ("votes_{}", "{} stars", "star{}", "votes for {}", "{} Stimmen")
VAGUE = ("c{}", "count_{}", "n_{}", "score_{}", "{}", "grade {}")
NUMBER, MEAN, SPREAD = ("c_total", "votes", "n", "num_ratings"), ("MOS", "mean", "Mittelwert"), ("SD", "std")


def per_grade(study: Study, shares: bool = False) -> Written:
    """Write one row per item, measure and group, with a column per grade; who voted is lost.

    With `shares` of votes, their number stands beside them.
    """
    noise = Noise(study, "shares of votes" if shares else "votes per grade")
    said = study.has_words or noise.happens("names that say votes", 0.4)
    named = noise.one_of(SAID if said else VAGUE)
    has_number = shares or noise.happens("number of votes", 0.5)
    has_mean = noise.happens("mean of votes", 0.6)
    has_spread = noise.happens("standard deviation of votes", 0.3)
    codes = (
        ("",) if named == "{}" else ("", "-", "NA")
    )  # below numbers, words would make the header look like data
    nothing = noise.one_of(codes) if noise.happens("no vote is an empty cell", 0.3) else 0
    several, grouped, parted = len(study.measures) > 1, bool(study.groups), bool(study.systems)
    digits = int(noise.draw.integers(3, 7)) if shares else 0
    grades = [int(study.score(level)) for level in range(len(study.values))]
    head: list[object] = [*(["topic", "system"] if parted else [noise.header("item")])]
    head += [noise.header("measure")] * several + [noise.header("group")] * grouped
    head += study.values if study.has_words else [named.format(grade) for grade in grades]
    head += [noise.one_of(NUMBER)] * has_number + [noise.one_of(MEAN)] * has_mean
    head += [noise.one_of(SPREAD)] * has_spread
    rows: Rows = []
    for at in range(len(study.items)):
        for what, measure in enumerate(study.measures):
            for group in sorted({*study.groups.values()}) or [""]:
                of = [
                    level
                    for (item, who, measured), level in study.levels.items()
                    if (item, measured) == (at, what) and study.groups.get(who, "") == group
                ]
                if not of:
                    continue
                counts, given = Counter(of), np.array([grades[level] for level in of])
                row: list[object] = [*study.parts[at], *[measure] * several, *[group] * grouped]
                given_to = [counts[level] for level in range(len(grades))]
                row += [(round(n / len(of), digits) if shares else n) or nothing for n in given_to]
                row += [len(of)] * has_number + [round(float(given.mean()), 3)] * has_mean
                rows.append(row + [round(float(given.std()), 4)] * has_spread)
    decided = "the names" if said else "the mean" if has_mean or has_spread else ""
    decided = "the number of votes" if shares else decided
    return finish(
        noise,
        head,
        rows,
        item=-1 if parted else 0,
        decided_by=decided,
        raters="slots",
        has_groups=grouped,
        has_parts=parted,
    )


def shares(study: Study) -> Written:
    """Write one row per item, measure and group, with the share of votes for each grade and their number."""
    return per_grade(study, shares=True)
