"""Judges: how far they agree, and what their disagreement moves."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.comprehension.judge_agreement import JudgeAgreement, judge_agreement
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.answer_bars import Part, Row, answer_bars
from charts.comprehension.estimate_dots import estimate_dots
from charts.parts.numbers import count, decimal, interval, percent, share
from findings.study import Study
from findings.words import Sentence, listed
from panels.comprehension import answers
from panels.comprehension.settings import among_people, counted, settings, steps
from panels.comprehension.shares import LEVELS_WRITTEN, level_cells
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

ALPHAS = {
    "binary": "R, P against I, N",
    "ordinal": "R over P over I, N",
    "nominal": "Four answers",
}
"""How the three alphas are called: the paper's second assumption, in order, and every difference alike."""
_TENTH, _EXACT = partial(share, digits=1), partial(decimal, digits=3)


def show(study: Study) -> None:
    """Finding, alphas, each judge's shares, pairs of judges; with one judge the next step."""
    finding = st.empty()
    names = answers.names(study, "judge").tolist()
    given = answers.answers(study)
    if len(names) < 2:
        with finding:
            template, values = one_judge(names)
            say(template, **values)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = settings(study)
    alphas = st.empty()
    st.subheader("What each judge would say alone")
    bars = st.empty()

    def compute(spec: BootstrapSpec, on_progress: Any) -> JudgeAgreement:
        found = judge_agreement(given, spec, on_progress)
        if not chosen.machines:
            return found
        people = judge_agreement(among_people(given, chosen.machines), spec, on_progress)
        return replace(found, by_judge=people.by_judge)

    for at, found in enumerate(
        steps(study, "Intervals of agreement", compute, chosen.bootstrap, chosen.machines)
    ):
        with finding:
            template, values = finding_of(found, names)
            say(template, **values)
        draw(
            alphas,
            dots(found),
            key=f"comprehension alphas {at}",
            alt="Krippendorff's alpha of the judges by three ways to compare answers, with intervals",
        )
        draw(
            bars,
            judges_bars(found, names),
            key=f"comprehension judges {at}",
            alt="Shares of the four answers by judge",
        )
    if chosen.machines:
        note("The bars leave machines' summaries out; agreement counts them.")
    for template, values in remarks(found, names):
        warn(template, **values)
    by_judge = judges_table(found, names)
    show_table(by_judge, LEVELS_WRITTEN, alt="Each judge's shares, with intervals")
    st.subheader("Agreement")
    of_all = alphas_table(found)
    show_table(of_all, {"Krippendorff's alpha": _EXACT, "Questions": count}, alt="Alpha with intervals")
    pairs = pairs_table(found, names)
    show_table(
        pairs,
        {"Equal answers": _TENTH, "Cohen's kappa": _EXACT, "Questions": count},
        alt="Equal answers and kappa of each two judges",
        most=12,
    )
    downloads("judges", lambda: pairs, lambda: dots(found))


def one_judge(names: Sequence[str]) -> Sentence:
    """What cannot be told, and the next step."""
    who = "One judge, {name}, judged all answers" if names else "The file does not say who judged the answers"
    return (
        who
        + ": how far the figures depend on the judge cannot be told. Let a second judge judge the same questions, "
        "or some of them, and upload both with a column <b>judge_id</b>.",
        {"name": names[0]} if names else {},
    )


def finding_of(found: JudgeAgreement, names: Sequence[str]) -> Sentence:
    """How far judges agree, and how far apart their levels are."""
    alpha = found.alpha["binary"]
    values: dict[str, object] = {
        "alpha": decimal(alpha.value),
        "between": interval(alpha),
        "n": count(alpha.n),
    }
    if not alpha.defined:
        template = "How far the {judges} judges agree is undefined: {why}"
        values |= {"why": alpha.reason}
    else:
        between = "" if np.isnan(alpha.low) else " ({between})"
        template = (
            "On whether an answer is at least partially relevant, the {judges} judges agree at alpha = <b>{alpha}</b>"
            f"{between} over {{n}} questions"
        )
    values["judges"] = len(names)
    levels = [(at, found.by_judge.estimate(at, "R+P")) for at in range(len(found.by_judge))]
    known = sorted(((e.value, at) for at, e in levels if e.defined))
    if len(known) > 1:
        (low, least), (high, most) = known[0], known[-1]
        if share(low) == share(high):
            template += "; alone each would say that summaries share <b>{low}</b>"
        else:
            template += (
                "; alone <b>{least}</b> would say that summaries share <b>{low}</b>, <b>{most}</b> <b>{high}</b>: the "
                "judge moves the level by {apart}"
            )
        values |= {
            "least": names[least],
            "most": names[most],
            "low": share(low),
            "high": share(high),
            "apart": counted(round(100 * (high - low)), "point"),
        }
    return template + ".", values


def dots(found: JudgeAgreement) -> dict[str, Any]:
    rows = [(told, found.alpha[name]) for name, told in ALPHAS.items()]
    return estimate_dots(rows, "Krippendorff's alpha", look())


def judges_bars(found: JudgeAgreement, names: Sequence[str]) -> dict[str, Any]:
    rows = [Row(names[at], found.by_judge.of(at)) for at in range(len(found.by_judge))]
    return answer_bars([Part("", rows)], look())


def judges_table(found: JudgeAgreement, names: Sequence[str]) -> pd.DataFrame:
    """Each judge's shares."""
    return pd.DataFrame(
        [{"Judge": names[at], **level_cells(found.by_judge, at)} for at in range(len(found.by_judge))]
    )


def alphas_table(found: JudgeAgreement) -> pd.DataFrame:
    """The three alphas."""
    return pd.DataFrame(
        [
            {
                "Compared as": told,
                "Krippendorff's alpha": found.alpha[name].value,
                "95 %": interval(found.alpha[name], 3),
                "Questions": found.alpha[name].n,
            }
            for name, told in ALPHAS.items()
        ]
    )


def pairs_table(found: JudgeAgreement, names: Sequence[str]) -> pd.DataFrame:
    """Each two judges on the questions that both judged."""
    return pd.DataFrame(
        [
            {
                "Judge": names[pair.first],
                "and": names[pair.second],
                "Questions": pair.same.n,
                "Equal answers": pair.same.value,
                "Equal answers, 95 %": percent(pair.same, 1),
                "Cohen's kappa": pair.kappa.value,
                "Cohen's kappa, 95 %": interval(pair.kappa, 3),
            }
            for pair in found.pairs
        ]
    )


def remarks(found: JudgeAgreement, names: Sequence[str]) -> list[Sentence]:
    """Judges of different questions, repeated and unnamed answers, undefined alphas."""
    made: list[Sentence] = []
    questions = found.by_judge.questions
    alone = [names[at] for at in range(len(questions)) if questions[at] < questions.max()]
    if alone:
        made.append(
            (
                "{who} judged fewer questions than others did: a part of the differences between judges may come from "
                "the questions.",
                {"who": listed(alone)},
            )
        )
    if found.unnamed:
        made.append(
            ("{n} without a judge's name are left out here.", {"n": counted(found.unnamed, "answer")})
        )
    if found.repeated:
        made.append(
            (
                "{n} to a question that the same judge had answered before: the first answer counts for agreement.",
                {"n": counted(found.repeated, "answer")},
            )
        )
    why = {e.reason for e in found.alpha.values() if e.reason and e.defined}
    why |= {e.reason for name, e in found.alpha.items() if name != "binary" and not e.defined}
    return made + [("{why}.", {"why": reason[:1].upper() + reason[1:]}) for reason in sorted(why)]


EXPLANATION = r"""
**Krippendorff's alpha** over the questions that two judges or more judged (a question put to one summary is one unit):
1 is full agreement, 0 what chance would give with these judges' answers. Three ways to compare answers: *four answers*
(any two differ alike, nominal), *R over P over I, N* (ordinal; irrelevant and not found are the same step), and
*R, P against I, N*: the paper's assumption that only this difference matters, since the first two are shared
information and the last two are not.

Alpha is low where nearly all answers are alike, however seldom judges differ; the share of equal answers stands beside
**Cohen's kappa** for each two judges.

**What each judge would say alone**: the shares by each judge's own answers. All other figures of the page are the mean
of these over judges. Machines' summaries have no part in them, but in the agreement.

**Intervals** draw stories, for these judges; two judges do not tell what a third would say.

Source: Kolluru and Gotoh 2005, section 4.2; Krippendorff 2011; Cohen 1960.
"""
