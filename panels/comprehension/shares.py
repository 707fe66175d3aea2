"""How much is shared: what of one author's questions others' summaries answer, by author and by type of story."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.comprehension.answer_levels import FIGURES, Levels
from analysis.comprehension.answer_shares import CodedShares, Types, by_story_type, coded_shares
from analysis.comprehension.answers import Answers
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.answer_bars import MOST_ROWS, Part, Row, answer_bars
from charts.comprehension.figure_names import ANSWERS, FIGURE_NAMES
from charts.parts.numbers import count, percent, points, share
from findings.study import Study
from findings.words import Sentence, listed
from panels.comprehension import answers
from panels.comprehension.settings import (
    Settings,
    among_people,
    askers,
    counted,
    settings,
    steps,
    told,
    writers,
)
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

MOST_TYPES = 12
"""Types of stories that are compared; of more, those with most stories."""
_TENTH = partial(share, digits=1)
_WITH_INTERVAL = ("R", "R+P", "N", "found")
LEVELS_WRITTEN = {
    **dict.fromkeys((FIGURE_NAMES[name] for name in FIGURES), _TENTH),
    "Questions": count,
    "Stories": count,
}
"""How the columns of `level_cells` are written."""


@dataclass(frozen=True, eq=False)
class Found:
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


def show(study: Study) -> None:
    """Finding, bars by both authors, tables, what was set aside, types of stories."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        given = answers.answers(study)
        with_machines = st.empty()
        chosen = settings(study)
        count_machines = False
        if chosen.machines:
            count_machines = with_machines.toggle(
                "Count machine summaries",
                key="count_machines",
                bind="query-params",
                help="The level that people share leaves machines' summaries out unless you count them.",
            )
    picture = st.empty()
    for at, found in enumerate(in_steps(study, given, chosen, count_machines)):
        with finding:
            template, values = finding_of(found)
            say(template, **values)
        draw(
            picture,
            figure(found),
            key=f"comprehension shares {at} {found.shown.overall.method}",
            alt="Shares of relevant, partially relevant, irrelevant and not found, by summary and question author",
        )
    for template, values in _notes(found):
        note(template, **values)
    for template, values in remarks(found):
        warn(template, **values)
    st.subheader("Overall")
    show_table(overall_table(found.shown.overall), {"Share": _TENTH, "Answers": count}, alt="Overall shares")
    st.subheader("By author")
    by_author = authors_table(found)
    show_table(
        by_author,
        LEVELS_WRITTEN,
        alt="Shares by summary author and by question author, with intervals",
    )
    downloads("comprehension", lambda: by_author, lambda: figure(found))
    _show_types(
        study, given if count_machines else among_people(given, chosen.machines), chosen, count_machines
    )


def in_steps(study: Study, given: Answers, chosen: Settings, with_machines: bool) -> Iterator[Found]:
    """The closed figures, then those with intervals."""

    def compute(spec: BootstrapSpec, on_progress: Any) -> tuple[CodedShares, CodedShares]:
        everyone = coded_shares(given, spec, on_progress)
        if not chosen.machines:
            return everyone, everyone
        return everyone, coded_shares(among_people(given, chosen.machines), spec, on_progress)

    names = answers.names(study, "author").tolist()
    for everyone, people in steps(study, "Intervals", compute, chosen.bootstrap, chosen.machines):
        yield Found(everyone, people, names, writers(given), askers(given), chosen.machines, with_machines)


def finding_of(found: Found) -> Sentence:
    """How much summaries share, and how much was one author's own choice."""
    overall = found.shown.overall.of(0)
    if not overall["R+P"].defined:
        return (
            "How much summaries share is undefined: {why}. Have each author's questions answered from the summaries of "
            "the others.",
            {"why": overall["R+P"].reason},
        )
    whose = "Summaries" if found.with_machines or not found.machines else "People's summaries"
    return (
        "{whose} share <b>{shared}</b> of what others found important{between}: relevant or partially relevant "
        "(relevant alone: {relevant}); <b>{missing}</b> was not found{missing_between}.",
        {
            "whose": whose,
            "shared": share(overall["R+P"].value),
            "between": told(overall["R+P"]).removeprefix(share(overall["R+P"].value)),
            "relevant": share(overall["R"].value),
            "missing": share(overall["N"].value),
            "missing_between": told(overall["N"]).removeprefix(share(overall["N"].value)),
        },
    )


def figure(found: Found) -> dict[str, Any]:
    """All answers, by summary author, machines apart, and by question author."""
    by_writer, by_asker = found.everyone.by_summary_author, found.shown.by_question_author

    def rows(levels: Levels, codes: Sequence[int]) -> list[Row]:
        return [Row(found.names[code], levels.of(code)) for code in codes if code < len(levels)]

    overall = found.shown.overall.of(0)
    parts = [
        Part("", [Row("All", overall)]),
        Part("By summary author", rows(by_writer, [w for w in found.wrote if w not in found.machines])),
        Part("Machine summaries", rows(by_writer, [w for w in found.wrote if w in found.machines])),
        Part("By question author", rows(by_asker, found.asked)),
    ]
    return answer_bars([part for part in parts if part.rows], look(), overall)


def overall_table(levels: Levels) -> pd.DataFrame:
    """One row per answer, and the two sums, with intervals."""
    counts = dict(zip(ANSWERS, levels.counts[0].tolist(), strict=True))
    rows = []
    for name, e in levels.of(0).items():
        rows.append(
            {
                "Answer": f"{name} {ANSWERS[name]}" if name in ANSWERS else _heading(name),
                "Share": e.value,
                "95 %": percent(e, 1),
                "Answers": sum(counts[letter] for letter in _letters_of(name)),
            }
        )
    return pd.DataFrame(rows)


def authors_table(found: Found) -> pd.DataFrame:
    """One row per author of summaries and one per author of questions."""
    sides = (
        ("summary author", found.everyone.by_summary_author, found.wrote),
        ("question author", found.shown.by_question_author, found.asked),
    )
    rows = [
        {
            "Author": found.names[code],
            "As": what,
            "Kind": "machine" if code in found.machines else "person",
            **level_cells(levels, code),
        }
        for what, levels, codes in sides
        for code in codes
        if code < len(levels)
    ]
    table = pd.DataFrame(rows)
    return table if found.machines else table.drop(columns="Kind", errors="ignore")


def level_cells(levels: Levels, group: int) -> dict[str, Any]:
    """The columns of one group's shares, with what they rest on."""
    cells: dict[str, Any] = {"Questions": levels.questions[group], "Stories": levels.stories[group]}
    for name, e in levels.of(group).items():
        cells[_heading(name)] = e.value
        if name in _WITH_INTERVAL:
            cells[f"{_heading(name)}, 95 %"] = percent(e, 1)
    return cells


def _heading(name: str) -> str:
    return FIGURE_NAMES[name]


def _letters_of(name: str) -> str:
    return {"R+P": "RP", "found": "RPI"}.get(name, name)


def _notes(found: Found) -> list[Sentence]:
    overall = found.shown.overall
    longest = max(len(found.wrote), len(found.asked))
    many_judges = overall.judges[0] > 1
    template = "{questions} put to summaries of {stories}, {judges}{mean}. Lines stand at the level of all"
    if not np.isnan(overall.low[0]).all():
        template += "; whiskers are 95 % intervals of R and R + P ({method})"
    if longest > MOST_ROWS:
        template += ". Of the authors those with most questions are drawn; the table has all"
    return [
        (
            template + ".",
            {
                "questions": counted(int(overall.questions[0]), "question"),
                "stories": counted(int(overall.stories[0]), "story", "stories"),
                "judges": counted(int(overall.judges[0]), "judge"),
                "mean": " (shares are the mean of the judges')" if many_judges else "",
                "method": overall.method,
            },
        )
    ]


def remarks(found: Found) -> list[Sentence]:
    """What was set aside, who is left out, and why there is no interval."""
    made: list[Sentence] = []
    if found.everyone.set_aside:
        made.append(
            (
                "{answers} to an author's own questions set aside: a summary is never asked its author's own.",
                {"answers": counted(found.everyone.set_aside, "answer")},
            )
        )
    if found.machines and not found.with_machines:
        made.append(
            (
                "Machines are left out of all but their own bars: {machines}.",
                {"machines": listed([found.names[code] for code in found.machines])},
            )
        )
    overall = found.shown.overall.of(0)
    reasons = {e.reason for e in overall.values() if e.defined and e.reason}
    made += [("{why}.", {"why": reason[:1].upper() + reason[1:]}) for reason in sorted(reasons)]
    for what, levels, codes in (
        ("summaries", found.everyone.by_summary_author, found.wrote),
        ("questions", found.shown.by_question_author, found.asked),
    ):
        nobody = [found.names[c] for c in codes if c < len(levels) and not levels.estimate(c, "R").defined]
        if nobody and overall["R"].defined:
            made.append(
                (
                    "Undefined for the {what} of {who}: no other author met them.",
                    {"what": what, "who": listed(nobody)},
                )
            )
    return made


def _show_types(study: Study, given: Answers, chosen: Settings, with_machines: bool) -> None:
    """The level by type of story, where the file has one."""
    names, code = np.unique(answers.story_types(study), return_inverse=True)
    if (names != "").sum() < 2 or not len(given):
        return
    stories = np.where(names == "", -1, np.bincount(code, minlength=len(names)))
    kept = np.sort(np.argsort(-stories, kind="stable")[: min(MOST_TYPES, int((names != "").sum()))])
    place = np.full(len(names), -1)
    place[kept] = np.arange(len(kept))
    types = names[kept].tolist()
    st.subheader("By type of story")
    finding, picture = st.empty(), st.empty()

    def compute(spec: BootstrapSpec, on_progress: Any) -> Types:
        return by_story_type(given, place[code], spec, on_progress)

    parts = chosen.machines, with_machines
    for at, found in enumerate(steps(study, "Intervals by type of story", compute, chosen.bootstrap, *parts)):
        with finding:
            template, values = types_finding(found, types)
            say(template, **values)
        draw(
            picture,
            answer_bars([Part("", [Row(n, found.levels.of(i)) for i, n in enumerate(types)])], look()),
            key=f"comprehension types {at}",
            alt="Shares of the four answers by type of story",
        )
    if found.unknown:
        note("{answers} about stories without a type.", answers=counted(found.unknown, "answer"))
    if len(names) - 1 > MOST_TYPES:
        note("The {most} types with most stories.", most=MOST_TYPES)
    of_types = pd.DataFrame(
        [{"Type": name, **level_cells(found.levels, at)} for at, name in enumerate(types)]
    )
    show_table(of_types, LEVELS_WRITTEN, alt="Shares by type of story, with intervals")
    table = differences_table(found, types)
    show_table(table, {}, alt="Differences between types of stories, with intervals")
    downloads("comprehension_types", lambda: table)


def types_finding(found: Types, types: Sequence[str]) -> Sentence:
    """How far the two types lie apart that lie farthest apart."""
    apart = {pair: of["R+P"] for pair, of in found.differences.items() if of["R+P"].defined}
    if not apart:
        return "Types cannot be compared: only one of them has answers.", {}
    (first, second), e = max(apart.items(), key=lambda entry: abs(entry[1].value))
    open_ = e.low <= 0 <= e.high
    template = (
        "Of stories of type <b>{first}</b> summaries share {of_first}, of type <b>{second}</b> {of_second}: "
        "<b>{apart}</b>"
    )
    if open_:
        template += ", which may be chance"
    return template + ".", {
        "first": types[first],
        "second": types[second],
        "of_first": told(found.levels.estimate(first, "R+P")),
        "of_second": told(found.levels.estimate(second, "R+P")),
        "apart": points(e).replace(" (–)", ""),
    }


def differences_table(found: Types, types: Sequence[str]) -> pd.DataFrame:
    """One row per pair of types: the first's share less the second's, in percentage points."""
    return pd.DataFrame(
        [
            {
                "Type": types[first],
                "less": types[second],
                **{_heading(f): points(of[f]).replace(" (–)", "") for f in ("R", "R+P", "N", "found")},
                "Stories": f"{count(found.levels.stories[first])} and {count(found.levels.stories[second])}",
            }
            for (first, second), of in found.differences.items()
        ]
    )


EXPLANATION = r"""
Each summary is asked the questions that *other* authors set on the same story. A judge says whether the answer found
in it is relevant (**R**: it means what the question's author expected), partially relevant (**P**), irrelevant (**I**:
an answer, but another one), or not found (**N**).

**Level.** R, and R + P, are what summaries share; N is what one author found important and the others left out: the
paper's measure of how subjective the choice is (47 %, 61 % and 35 % there). With several judges a share is the mean of
the judges' shares.

**By summary author** (Figure 2a): how much each author's summaries answer. **By question author** (Figure 2b): how
much of each author's questions is answered; a high share may come from general questions (*What is being discussed?*).

**Intervals** draw stories with replacement, 1,000 times, and take percentiles, widened where stories are few: the
questions of a story are not independent, so there is no binomial interval. They hold for these authors and judges.
Above 5,000 stories they come from the delta method.

**Own questions** are set aside and counted. **Machines** have no own part in the level that people share unless you
count them.

**Types of story**: the difference comes from the same draws; types are different stories, so other things may differ.

Source: Kolluru and Gotoh 2005, sections 4 and 5, Figures 2a and 2b; Hesterberg 2015 (percentiles of few units).
"""
