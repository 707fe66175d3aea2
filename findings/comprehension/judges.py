"""Judges: how far they agree, and what their disagreement moves."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from analysis.comprehension.judge_agreement import JudgeAgreement
from features.blocks import Finding
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, percent, share
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, counted, listed, reasons
from findings.comprehension.levels import LEVELS_WRITTEN, TENTH, level_cells

ALPHAS = {
    "binary": "R, P against I, N",
    "ordinal": "R over P over I, N",
    "nominal": "Four answers",
}
"""How the three alphas are called: the paper's second assumption, in order, and every difference alike."""
_EXACT = partial(decimal, digits=3)


def one_judge(names: Sequence[str]) -> Sentence:
    """What cannot be told, and the next step."""
    who = "One judge, {name}, judged all answers" if names else "The file does not say who judged the answers"
    return (
        f"{who}: how far the figures depend on the judge cannot be told. Let a second judge judge the same questions, "
        "or some of them, and upload both with a column <b>judge_id</b>.",
        {"name": names[0]} if names else {},
    )


def finding_of(agreement: JudgeAgreement, names: Sequence[str]) -> Finding:
    """How far judges agree, and how far apart their levels are."""
    alpha = agreement.alpha["binary"]
    values: dict[str, object] = {"judges": len(names)}
    if alpha.defined:
        template = (
            "On whether an answer is at least partially relevant, the {judges} judges agree at alpha = "
            "<b>{alpha}</b>{between} over {n} questions"
        )
        values |= {
            "alpha": decimal(alpha.value),
            "between": decimal_with_interval(alpha).removeprefix(decimal(alpha.value)),
            "n": count(alpha.n),
        }
    else:
        template = "How far the {judges} judges agree is undefined: {why}"
        values |= {"why": alpha.reason}
    levels, of_levels = _levels_apart(agreement, names)
    if not alpha.defined and not levels:
        return not_enough_data(f"{template}.", values)
    return clear_if(excludes(alpha), f"{template}{levels}.", values | of_levels)


def _levels_apart(agreement: JudgeAgreement, names: Sequence[str]) -> tuple[str, dict[str, object]]:
    levels = [(at, agreement.by_judge.estimate(at, "R+P")) for at in range(len(agreement.by_judge))]
    known = sorted(((e.value, at) for at, e in levels if e.defined))
    if len(known) < 2:
        return "", {}
    (low, least), (high, most) = known[0], known[-1]
    if share(low) == share(high):
        return "; alone each would say that summaries share <b>{low}</b>", {"low": share(low)}
    return (
        "; alone <b>{least}</b> would say that summaries share <b>{low}</b>, <b>{most}</b> <b>{high}</b>: the "
        "judge moves the level by {apart}",
        {
            "least": names[least],
            "most": names[most],
            "low": share(low),
            "high": share(high),
            "apart": counted(round(100 * (high - low)), "point"),
        },
    )


def remarks(agreement: JudgeAgreement, names: Sequence[str]) -> list[Sentence]:
    """Judges of different questions, repeated and unnamed answers, undefined alphas."""
    made: list[Sentence] = []
    questions = agreement.by_judge.questions
    fewer = [names[at] for at in range(len(questions)) if questions[at] < questions.max()]
    if fewer:
        made.append(
            (
                "{who} judged fewer questions than others did: a part of the differences between judges may come from "
                "the questions.",
                {"who": listed(fewer)},
            )
        )
    if agreement.unnamed:
        made.append(
            ("{n} without a judge's name are left out here.", {"n": counted(agreement.unnamed, "answer")})
        )
    if agreement.repeated:
        made.append(
            (
                "{n} to a question that the same judge had answered before: the first answer counts for agreement.",
                {"n": counted(agreement.repeated, "answer")},
            )
        )
    return made + reasons(e.reason for name, e in agreement.alpha.items() if e.defined or name != "binary")


def judges_table(agreement: JudgeAgreement, names: Sequence[str]) -> Shown:
    """Each judge's shares."""
    levels = agreement.by_judge
    rows = [{"Judge": names[at], **level_cells(levels, at)} for at in range(len(levels))]
    return pd.DataFrame(rows), LEVELS_WRITTEN


def alphas_table(agreement: JudgeAgreement) -> Shown:
    """The three alphas."""
    rows = [
        {
            "Compared as": compared_as,
            "Krippendorff's alpha": agreement.alpha[name].value,
            "95 %": interval(agreement.alpha[name], 3),
            "Questions": agreement.alpha[name].n,
        }
        for name, compared_as in ALPHAS.items()
    ]
    return pd.DataFrame(rows), {"Krippendorff's alpha": _EXACT, "Questions": count}


def pairs_table(agreement: JudgeAgreement, names: Sequence[str]) -> Shown:
    """Each two judges on the questions that both judged."""
    rows = [
        {
            "Judge": names[pair.first],
            "and": names[pair.second],
            "Questions": pair.same.n,
            "Equal answers": pair.same.value,
            "Equal answers, 95 %": percent(pair.same, 1),
            "Cohen's kappa": pair.kappa.value,
            "Cohen's kappa, 95 %": interval(pair.kappa, 3),
        }
        for pair in agreement.pairs
    ]
    return pd.DataFrame(rows), {"Equal answers": TENTH, "Cohen's kappa": _EXACT, "Questions": count}
