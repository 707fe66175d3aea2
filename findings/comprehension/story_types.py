"""Types of stories: of which summaries share more."""

from collections.abc import Sequence

import pandas as pd

from analysis.comprehension.answer_shares import Types
from charts.comprehension.figure_names import FIGURE_NAMES
from features.blocks import Finding
from features.plotting.numbers import count, points, share_with_interval
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, counted
from findings.comprehension.levels import LEVELS_WRITTEN, level_cells


def finding_of(by_type: Types, types: Sequence[str]) -> Finding:
    """How far the two types lie apart that lie farthest apart."""
    apart = {pair: of["R+P"] for pair, of in by_type.differences.items() if of["R+P"].defined}
    if not apart:
        return not_enough_data("Types cannot be compared: only one of them has answers.")
    (first, second), e = max(apart.items(), key=lambda entry: abs(entry[1].value))
    chance = ", which may be chance" if e.low <= 0 <= e.high else ""
    return clear_if(
        excludes(e),
        "Of stories of type <b>{first}</b> summaries share {of_first}, of type <b>{second}</b> {of_second}: "
        f"<b>{{apart}}</b>{chance}.",
        {
            "first": types[first],
            "second": types[second],
            "of_first": share_with_interval(by_type.levels.estimate(first, "R+P")),
            "of_second": share_with_interval(by_type.levels.estimate(second, "R+P")),
            "apart": points(e),
        },
    )


def notes(by_type: Types, types: Sequence[str], there: int) -> list[Sentence]:
    """What has no type, and how many of the types that are there are shown."""
    made: list[Sentence] = []
    if by_type.unknown:
        made.append(
            ("{answers} about stories without a type.", {"answers": counted(by_type.unknown, "answer")})
        )
    if there > len(types):
        made.append(("The {most} types with most stories.", {"most": len(types)}))
    return made


def types_table(by_type: Types, types: Sequence[str]) -> Shown:
    """One row per type."""
    rows = [{"Type": name, **level_cells(by_type.levels, at)} for at, name in enumerate(types)]
    return pd.DataFrame(rows), LEVELS_WRITTEN


def differences_table(by_type: Types, types: Sequence[str]) -> Shown:
    """One row per pair of types: the first's share less the second's, in percentage points."""
    stories = by_type.levels.stories
    rows = [
        {
            "Type": types[first],
            "less": types[second],
            **{FIGURE_NAMES[figure]: points(of[figure]) for figure in ("R", "R+P", "N", "found")},
            "Stories": f"{count(stories[first])} and {count(stories[second])}",
        }
        for (first, second), of in by_type.differences.items()
    ]
    return pd.DataFrame(rows), {}
