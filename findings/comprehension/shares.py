"""How much is shared: what of one author's questions others' summaries answer, by author."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd

from analysis.comprehension.answer_levels import Levels
from analysis.comprehension.answer_shares import CodedShares
from charts.comprehension.answer_bars import MOST_ROWS
from charts.comprehension.figure_names import ANSWERS, FIGURE_NAMES
from features.blocks import Finding
from features.plotting.numbers import count, percent, share, share_with_interval
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, counted, listed, reasons
from findings.comprehension.levels import LEVELS_WRITTEN, TENTH, level_cells

_LETTERS = {"R+P": "RP", "found": "RPI"}


@dataclass(frozen=True, eq=False)
class Shared:
    """Shares of all answers, and of those between people, with the names of the authors and who is a machine."""

    everyone: CodedShares
    people: CodedShares
    names: Sequence[str]
    wrote: Sequence[int]
    asked: Sequence[int]
    machines: Sequence[int]
    with_machines: bool

    @property
    def shown(self) -> CodedShares:
        """What the overall level rests on."""
        return self.everyone if self.with_machines else self.people

    @property
    def _sides(self) -> tuple[tuple[str, Levels, list[int]], ...]:
        """As whom authors are looked at, their shares, and the codes of those who have any."""
        sides = (
            ("summary author", self.everyone.by_summary_author, self.wrote),
            ("question author", self.shown.by_question_author, self.asked),
        )
        return tuple((who, levels, [c for c in codes if c < len(levels)]) for who, levels, codes in sides)


def finding_of(shared: Shared) -> Finding:
    """How much summaries share, and how much was one author's own choice."""
    overall = shared.shown.overall.of(0)
    if not overall["R+P"].defined:
        return not_enough_data(
            "How much summaries share is undefined: {why}. Have each author's questions answered from the summaries of "
            "the others.",
            {"why": overall["R+P"].reason},
        )
    whose = "Summaries" if shared.with_machines or not shared.machines else "People's summaries"
    return clear_if(
        excludes(overall["R+P"]),
        "{whose} share <b>{shared}</b> of what others found important{between}: relevant or partially relevant "
        "(relevant alone: {relevant}); <b>{missing}</b> was not found{missing_between}.",
        {
            "whose": whose,
            "shared": share(overall["R+P"].value),
            "between": share_with_interval(overall["R+P"]).removeprefix(share(overall["R+P"].value)),
            "relevant": share(overall["R"].value),
            "missing": share(overall["N"].value),
            "missing_between": share_with_interval(overall["N"]).removeprefix(share(overall["N"].value)),
        },
    )


def notes(shared: Shared) -> list[Sentence]:
    """What the figures rest on, and what the picture shows of them."""
    overall = shared.shown.overall
    template = "{questions} put to summaries of {stories}, {judges}{mean}. Lines stand at the level of all"
    if not all(isnan(low) for low in overall.low[0]):
        template += "; whiskers are 95 % intervals of R and R + P ({method})"
    if max(len(shared.wrote), len(shared.asked)) > MOST_ROWS:
        template += ". Of the authors those with most questions are drawn; the table has all"
    return [
        (
            template + ".",
            {
                "questions": counted(int(overall.questions[0]), "question"),
                "stories": counted(int(overall.stories[0]), "story", "stories"),
                "judges": counted(int(overall.judges[0]), "judge"),
                "mean": " (shares are the mean of the judges')" if overall.judges[0] > 1 else "",
                "method": overall.method,
            },
        )
    ]


def remarks(shared: Shared) -> list[Sentence]:
    """What was set aside, who is left out, and why there is no interval."""
    made: list[Sentence] = []
    if shared.everyone.set_aside:
        made.append(
            (
                "{answers} to an author's own questions set aside: a summary is never asked its author's own.",
                {"answers": counted(shared.everyone.set_aside, "answer")},
            )
        )
    if shared.machines and not shared.with_machines:
        made.append(
            (
                "Machines are left out of all but their own bars: {machines}.",
                {"machines": listed([shared.names[code] for code in shared.machines])},
            )
        )
    overall = shared.shown.overall.of(0)
    made += reasons(e.reason for e in overall.values() if e.defined)
    for who, levels, codes in shared._sides:
        nobody = [shared.names[code] for code in codes if not levels.estimate(code, "R").defined]
        if nobody and overall["R"].defined:
            what = "summaries" if who == "summary author" else "questions"
            made.append(
                (
                    "Undefined for the {what} of {who}: no other author met them.",
                    {"what": what, "who": listed(nobody)},
                )
            )
    return made


def overall_table(levels: Levels) -> Shown:
    """One row per answer, and the two sums, with intervals."""
    counts = dict(zip(ANSWERS, levels.counts[0].tolist(), strict=True))
    rows = [
        {
            "Answer": f"{figure} {ANSWERS[figure]}" if figure in ANSWERS else FIGURE_NAMES[figure],
            "Share": e.value,
            "95 %": percent(e, 1),
            "Answers": sum(counts[letter] for letter in _LETTERS.get(figure, figure)),
        }
        for figure, e in levels.of(0).items()
    ]
    return pd.DataFrame(rows), {"Share": TENTH, "Answers": count}


def authors_table(shared: Shared) -> Shown:
    """One row per author of summaries and one per author of questions."""
    rows = [
        {
            "Author": shared.names[code],
            "As": who,
            "Kind": "machine" if code in shared.machines else "person",
            **level_cells(levels, code),
        }
        for who, levels, codes in shared._sides
        for code in codes
    ]
    table = pd.DataFrame(rows)
    return table if shared.machines else table.drop(columns="Kind", errors="ignore"), LEVELS_WRITTEN
