"""Machine summaries: how much of what people ask they answer, as a share of what people's summaries answer."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.comprehension.machine_summaries import MachineLevel, machine_levels
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.answer_bars import Part, Row, answer_bars
from charts.comprehension.estimate_dots import estimate_dots
from charts.comprehension.figure_names import FIGURE_NAMES
from charts.parts.numbers import count, percent, points, share
from findings.study import Study
from findings.words import Sentence, listed
from panels.comprehension import answers
from panels.comprehension.settings import counted, settings, steps, told, writers
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

_RATIO = "Share of the human level"
_TENTH = partial(share, digits=1)


def show(study: Study) -> None:
    """Finding, each machine beside people, table; without a machine, how to say who is one."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = settings(study, machines_in_front=True)
    names = answers.names(study, "author").tolist()
    given = answers.answers(study)
    if not chosen.machines:
        with finding:
            say(
                "No author is known to be a machine. Choose below which are, or say it in the file: a column "
                "<b>author_kind</b> with <b>machine</b> in the rows of their summaries, <b>human</b> in the others."
            )
        return
    if len(chosen.machines) == len(writers(given)):
        with finding:
            say("All authors of summaries are machines: there is no human level to hold them against.")
        return
    ratios, bars = st.empty(), st.empty()

    def compute(spec: BootstrapSpec, on_progress: Any) -> dict[int, MachineLevel]:
        return machine_levels(given, chosen.machines, spec, on_progress)

    parts = (chosen.machines,)
    for at, found in enumerate(steps(study, "Intervals of the machines", compute, chosen.bootstrap, *parts)):
        with finding:
            template, values = finding_of(found, names)
            say(template, **values)
        if sum(one.ratio.defined for one in found.values()) > 1:
            draw(
                ratios,
                ratio_dots(found, names),
                key=f"comprehension machine ratios {at}",
                alt="Each machine's R + P as a share of the human level, with intervals",
            )
        draw(
            bars,
            figure(found, names),
            key=f"comprehension machines {at}",
            alt="Shares of the four answers of each machine and of people on the same questions",
        )
    note(
        "Each machine stands beside people's summaries on the same questions; several people's answers to a question "
        "count as one."
    )
    for template, values in remarks(found, names):
        warn(template, **values)
    table = machines_table(found, names)
    percents = [_RATIO, *(f"{side}: {f}" for side in ("Machine", "People") for f in ("R", "R + P", "N"))]
    show_table(table, dict.fromkeys(percents, _TENTH) | {"Questions": count}, alt="Machines beside people")
    downloads("machine_summaries", lambda: table, lambda: figure(found, names))


def finding_of(found: Mapping[int, MachineLevel], names: Sequence[str]) -> Sentence:
    """How near the best machine comes to people, and which do not reach them."""
    known = sorted(
        ((one.ratio.value, code) for code, one in found.items() if one.ratio.defined), reverse=True
    )
    if not known:
        reasons = sorted({one.ratio.reason for one in found.values()})
        return (
            "{machines} cannot be held against people: {why}. Let the same judge judge the same questions for both.",
            {"machines": listed([names[code] for code in found]), "why": "; ".join(reasons)},
        )
    best = known[0][1]
    one = found[best]
    template = (
        "<b>{name}</b> reaches <b>{ratio}</b> of the human level: its summaries answer {machine} of the same "
        "{questions} at least partially relevantly, people's {people}"
    )
    values: dict[str, object] = {
        "name": names[best],
        "ratio": told(one.ratio),
        "machine": told(one.machine["R+P"]),
        "people": told(one.people["R+P"]),
        "questions": counted(one.ratio.n, "question"),
    }
    if one.difference.low <= 0 <= one.difference.high:
        template += "; the difference may be chance"
    if len(known) > 1:
        template += "; the least, {last}, reaches {least}" if len(known) > 2 else "; {last} reaches {least}"
        values |= {"last": names[known[-1][1]], "least": told(found[known[-1][1]].ratio)}
    return template + ".", values


def figure(found: Mapping[int, MachineLevel], names: Sequence[str]) -> dict[str, Any]:
    parts = [
        Part(
            names[code] if len(found) > 1 else "",
            [Row("machine" if len(found) > 1 else names[code], one.machine), Row("people", one.people)],
        )
        for code, one in found.items()
    ]
    return answer_bars(parts, look())


def ratio_dots(found: Mapping[int, MachineLevel], names: Sequence[str]) -> dict[str, Any]:
    rows = [(names[code], one.ratio) for code, one in found.items()]
    rows = sorted(rows, key=lambda row: -row[1].value if row[1].defined else 0)
    return estimate_dots(
        rows, "R + P, share of the human level", look(), (1.0, "the human level"), shares=True
    )


def machines_table(found: Mapping[int, MachineLevel], names: Sequence[str]) -> pd.DataFrame:
    """One row per machine."""
    rows = []
    for code, one in found.items():
        row: dict[str, Any] = {
            "Machine": names[code],
            _RATIO: one.ratio.value,
            f"{_RATIO}, 95 %": percent(one.ratio, 1),
            "Difference of R + P": points(one.difference).replace(" (–)", ""),
        }
        for figure_name in ("R", "R+P", "N"):
            for side, shares in (("Machine", one.machine), ("People", one.people)):
                row[f"{side}: {FIGURE_NAMES[figure_name]}"] = shares[figure_name].value
        rows.append(row | {"Questions": one.ratio.n, "Stories": one.stories, "Judges": one.judges})
    return pd.DataFrame(rows)


def remarks(found: Mapping[int, MachineLevel], names: Sequence[str]) -> list[Sentence]:
    """Questions that could not be paired, figures without interval."""
    made: list[Sentence] = [
        (
            "{questions} put to summaries of {name} not put to a person's summary by the same judge: left out here.",
            {"questions": counted(one.left_out, "question"), "name": names[code]},
        )
        for code, one in found.items()
        if one.left_out and one.ratio.defined
    ]
    undefined = [names[code] for code, one in found.items() if not one.ratio.defined]
    if undefined and len(undefined) < len(found):
        made.append(
            (
                "Undefined for {who}: no question with a person's answer beside the machine's.",
                {"who": listed(undefined)},
            )
        )
    why = {one.ratio.reason for one in found.values() if one.ratio.defined and one.ratio.reason}
    return made + [("{why}.", {"why": reason[:1].upper() + reason[1:]}) for reason in sorted(why)]


EXPLANATION = r"""
People's summaries of a story share some 61 % of what each finds important (in the paper), so a machine is not to be
measured against 100 % but against that: its **share of the human level** is its R + P divided by that of people's
summaries on the same questions.

A question counts where one judge judged it both for the machine's summary and for one or more by people; several
people's answers to it are averaged, so that each question counts once on both sides. Both levels are means over the
judges.

**Intervals** draw stories, machine and people together, so that what makes a story hard cancels. A ratio of 100 % or
more within the interval means that the machine cannot be told from people by this test: it asks for content only, not
for grammar or style.

Source: Kolluru and Gotoh 2005, section 6; Hesterberg 2015 (percentiles of few units).
"""
