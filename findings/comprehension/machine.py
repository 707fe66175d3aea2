"""Machine summaries: how much of what people ask they answer, as a share of what people's summaries answer."""

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.comprehension.machine_summaries import MachineLevel
from charts.comprehension.figure_names import FIGURE_NAMES
from features.blocks import Finding
from features.plotting.numbers import count, percent, points, share_with_interval
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, counted, listed, reasons
from findings.comprehension.levels import TENTH

NO_MACHINE: Sentence = (
    "No author is known to be a machine. Choose below which are, or say it in the file: a column "
    "<b>author_kind</b> with <b>machine</b> in the rows of their summaries, <b>human</b> in the others.",
    {},
)
NOBODY_ELSE: Sentence = (
    "All authors of summaries are machines: there is no human level to hold them against.",
    {},
)
_RATIO = "Share of the human level"
_SHARES = ("R", "R+P", "N")


def finding_of(levels: Mapping[int, MachineLevel], names: Sequence[str]) -> Finding:
    """How near the best machine comes to people, and which do not reach them."""
    known = sorted(
        ((level.ratio.value, code) for code, level in levels.items() if level.ratio.defined), reverse=True
    )
    if not known:
        why = sorted({level.ratio.reason for level in levels.values()})
        return not_enough_data(
            "{machines} cannot be held against people: {why}. Let the same judge judge the same questions for both.",
            {"machines": listed([names[code] for code in levels]), "why": "; ".join(why)},
        )
    best, last = known[0][1], known[-1][1]
    level = levels[best]
    template = (
        "<b>{name}</b> reaches <b>{ratio}</b> of the human level: its summaries answer {machine} of the same "
        "{questions} at least partially relevantly, people's {people}"
    )
    if level.difference.low <= 0 <= level.difference.high:
        template += "; the difference may be chance"
    if len(known) > 1:
        template += "; the least, {last}, reaches {least}" if len(known) > 2 else "; {last} reaches {least}"
    values = {
        "name": names[best],
        "ratio": share_with_interval(level.ratio),
        "machine": share_with_interval(level.machine["R+P"]),
        "people": share_with_interval(level.people["R+P"]),
        "questions": counted(level.ratio.n, "question"),
        "last": names[last],
        "least": share_with_interval(levels[last].ratio),
    }
    return clear_if(excludes(level.difference), f"{template}.", values)


NOTE: Sentence = (
    "Each machine stands beside people's summaries on the same questions; several people's answers to a question "
    "count as one.",
    {},
)


def remarks(levels: Mapping[int, MachineLevel], names: Sequence[str]) -> list[Sentence]:
    """Questions that could not be paired, figures without interval."""
    made: list[Sentence] = [
        (
            "{questions} put to summaries of {name} not put to a person's summary by the same judge: left out here.",
            {"questions": counted(level.left_out, "question"), "name": names[code]},
        )
        for code, level in levels.items()
        if level.left_out and level.ratio.defined
    ]
    undefined = [names[code] for code, level in levels.items() if not level.ratio.defined]
    if undefined and len(undefined) < len(levels):
        made.append(
            (
                "Undefined for {who}: no question with a person's answer beside the machine's.",
                {"who": listed(undefined)},
            )
        )
    return made + reasons(level.ratio.reason for level in levels.values() if level.ratio.defined)


def machines_table(levels: Mapping[int, MachineLevel], names: Sequence[str]) -> Shown:
    """One row per machine."""
    rows = []
    for code, level in levels.items():
        row: dict[str, object] = {
            "Machine": names[code],
            _RATIO: level.ratio.value,
            f"{_RATIO}, 95 %": percent(level.ratio, 1),
            "Difference of R + P": points(level.difference),
        }
        for figure in _SHARES:
            row[f"Machine: {FIGURE_NAMES[figure]}"] = level.machine[figure].value
            row[f"People: {FIGURE_NAMES[figure]}"] = level.people[figure].value
        rows.append(row | {"Questions": level.ratio.n, "Stories": level.stories, "Judges": level.judges})
    shares = [f"{who}: {FIGURE_NAMES[figure]}" for who in ("Machine", "People") for figure in _SHARES]
    return pd.DataFrame(rows), {**dict.fromkeys([_RATIO, *shares], TENTH), "Questions": count}
