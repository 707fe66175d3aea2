"""Who is consistent: each rater's agreement with himself or the others, and what screening rules say of him."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.assessors.consistency import Consistency, OthersAgreement
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.assessors.raters import consistency_dots
from charts.parts.numbers import count, decimal, interval, share
from charts.parts.panels import MOST
from findings.study import Scenario, Study
from findings.words import Sentence
from panels.assessors import rater_figures
from panels.assessors.assessments import names
from panels.assessors.rater_figures import CLOSED
from panels.parts.controls import measures_on_show
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.visit.scenario import MOST_BY_HAND, leave_out_by_hand

DRAWS = 1000
FEW_SETS = 10
"""Sets of identical texts below which an alpha is told with a warning."""
_ALPHA, _OTHERS = "Alpha", "r with the others"
_EXACT, _TENTH = partial(decimal, digits=3), partial(decimal, digits=1)
WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys((_ALPHA, _OTHERS, "Alpha without", "P.913 r", "Chance of the run"), _EXACT),
    **dict.fromkeys(("Bias", "Inconsistency"), decimal),
    "Seconds": _TENTH,
    **dict.fromkeys(("Ratings", "Sets", "Judgements", "Items shared", "Longest run", "Checks"), count),
    **dict.fromkeys(("Failed checks", "BT.500 far"), partial(share, digits=1)),
}
MEANINGS = {
    "alpha": "do raters give an item the same score, severity included? 1 always, 0 by chance",
    "ICC(1,1)": "how much of one rating is the item, when raters differ from item to item",
    "ICC(A,1)": "the same with crossed raters, severity counting as disagreement",
    "ICC(C,1)": "the same with crossed raters, severity set aside",
    "ICC(1,k)": "of the mean of an item's ratings, raters differing from item to item",
    "ICC(A,k)": "of the mean of an item's ratings, severity counting as disagreement",
    "ICC(C,k)": "of the mean of an item's ratings, severity set aside",
}
Found = Mapping[str, Consistency | OthersAgreement]


def show(study: Study, scenario: Scenario) -> None:
    """Finding, one panel per measure with the raters ranked, then the screening table of one measure."""
    finding, fell_back, picture = st.empty(), st.empty(), st.empty()
    closed = _by_measure(study, CLOSED)
    with finding:
        template, values = finding_of(study, closed)
        say(template, **values)
    if not any(isinstance(found, Consistency) for found in closed.values()):
        with fell_back:
            note(
                "Nobody judged identical texts more than once (no columns text_id or text show it), so raters are "
                "ranked by their agreement with the others instead."
            )
    shown = measures_on_show(study.measures, MOST)
    _draw(picture, study, scenario, closed, shown, "closed")
    let_it_be_drawn(f"consistency {study.key} {study.candidate} {shown} {scenario.names}")
    spec = BootstrapSpec(draws=DRAWS)
    drawn = long_result(
        rater_figures.key(study, "consistency of all", study.measures, spec),
        "Intervals of all raters",
        lambda on_progress: _by_measure(study, spec, on_progress),
    )
    if drawn is not None:
        _draw(picture, study, scenario, drawn, shown, "with intervals")
    found = drawn or closed
    ranking = ranking_table(study, found)
    show_table(ranking, {}, alt="Raters ranked by consistency, per measure", most=9)
    downloads("ranking", lambda: ranking, lambda: figure(study, scenario, found, shown))
    st.subheader("Screening")
    measure = study.measures[0]
    if len(study.measures) > 1:
        measure = st.selectbox("Measure", study.measures, key="screened", bind="query-params", width=320)
    table = screening_table(study, measure, found[measure], scenario)
    _show_table(study, table)
    if isinstance(found[measure], OthersAgreement) and found[measure].alpha_all.defined:
        everyone = found[measure].alpha_all
        note(
            "With everyone, alpha over {items} items is {alpha} ({between}); <i>Alpha without</i> is the same when "
            "that rater goes. Intervals of r: {method}.",
            items=count(everyone.n),
            alpha=decimal(everyone.value, 3),
            between=interval(everyone, 3),
            method=found[measure].method,
        )
    for template, values in _remarks(study, measure, found[measure]):
        warn(template, **values)
    downloads("screening", lambda: table)
    _show_agreement_of_everyone(study, measure)


def _by_measure(
    study: Study, spec: BootstrapSpec, on_progress: Callable[[float], object] | None = None
) -> dict[str, Consistency | OthersAgreement]:
    found: dict[str, Consistency | OthersAgreement] = {}
    for at, measure in enumerate(study.measures):
        found[measure] = ranked(study, measure, spec)
        if on_progress is not None:
            on_progress((at + 1) / len(study.measures))
    return found


def ranked(study: Study, measure: str, spec: BootstrapSpec = CLOSED) -> Consistency | OthersAgreement:
    """Alphas on identical texts, or the agreement with the others where there are none."""
    if rater_figures.ranks_by_texts(study, measure):
        return rater_figures.on_texts(study, measure, spec)
    return rater_figures.with_others(study, measure, spec)


def estimates(found: Consistency | OthersAgreement) -> list[Estimate]:
    """One figure per rater, in the raters' order."""
    if isinstance(found, Consistency):
        return list(found.alpha)
    return [
        Estimate(*figures)
        for figures in zip(
            *(array.tolist() for array in (found.correlation, found.low, found.high, found.items)),
            found.reasons,
            strict=True,
        )
    ]


def finding_of(study: Study, found: Found) -> Sentence:
    """Who is most and who least consistent, on the measure where they are furthest apart."""
    measure, *_ = widest(found) or [None]
    if measure is None:
        reasons = {e.reason for one in found.values() for e in estimates(one)} - {""}
        return "No two raters can be ranked: {why}.", {
            "why": "; ".join(sorted(reasons)) or "there are too few"
        }
    who = names(study, "rater")
    known = _known(found[measure])
    (low, last), (high, first) = min(known), max(known)
    texts = isinstance(found[measure], Consistency)
    return (
        "Raters differ most on {measure}: <b>{first}</b> is the most consistent ({what} <b>{high}</b>), "
        "<b>{last}</b> the least (<b>{low}</b>).",
        {
            "measure": measure,
            "first": who[first],
            "last": who[last],
            "high": decimal(high),
            "low": decimal(low),
            "what": "alpha on identical texts" if texts else "correlation with the mean of the others",
        },
    )


def widest(found: Found) -> list[str]:
    """The measure on which raters are furthest apart; none where no two raters can be ranked."""
    spread = {measure: known for measure, one in found.items() if len(known := _known(one)) > 1}
    if not spread:
        return []
    return [max(spread, key=lambda measure: max(spread[measure])[0] - min(spread[measure])[0])]


def _known(found: Consistency | OthersAgreement) -> list[tuple[float, int]]:
    return [(e.value, r) for r, e in zip(found.raters.tolist(), estimates(found), strict=True) if e.defined]


def figure(study: Study, scenario: Scenario, found: Found, shown: Sequence[str]) -> dict[str, Any]:
    who = names(study, "rater")
    panels = [
        (measure, [(str(who[r]), e) for r, e in zip(one.raters.tolist(), estimates(one), strict=True)])
        for measure, one in found.items()
        if measure in shown
    ]
    texts = any(isinstance(one, Consistency) for one in found.values())
    title = "Alpha on identical texts" if texts else "Correlation with the mean of the others"
    return consistency_dots(panels, title, look(), set(scenario.names))


def _draw(
    place: Any, study: Study, scenario: Scenario, found: Found, shown: Sequence[str], which: str
) -> None:
    draw(
        place,
        figure(study, scenario, found, shown),
        key=f"consistency {which}",
        alt="Consistency of each rater, one panel per measure, the most consistent on top",
    )


def screening_table(
    study: Study, measure: str, found: Consistency | OthersAgreement, scenario: Scenario
) -> pd.DataFrame:
    """One row per rater of a measure: consistency, and what screening rules look at."""
    who = names(study, "rater")
    bias, bt500, p913 = (
        of(study, measure) for of in (rater_figures.bias, rater_figures.bt500, rater_figures.p913)
    )
    runs = rater_figures.runs(study, measure)
    columns: dict[str, Any] = {
        "Rater": who[bias.raters],
        "Left out": np.where(np.isin(bias.raters, scenario.left_out_codes), "yes", ""),
        "Ratings": runs.ratings,
        **_consistency_columns(study, bias.raters, found),
        "Bias": bias.bias,
        "Bias, 95 %": _between(bias.low, bias.high),
    }
    model = rater_figures.model(study, measure)
    if model is not None and not model.reason:
        columns |= {
            "Inconsistency": model.inconsistency,
            "Inconsistency, 95 %": _between(model.inconsistency_low, model.inconsistency_high),
        }
    if study.whole.has("seconds"):
        columns["Seconds"] = rater_figures.speed(study, measure).seconds
    if study.whole.has("check"):
        checks = rater_figures.failed_checks(study)
        columns["Checks"] = rater_figures.by_code(study, checks.raters, checks.checks)[bias.raters]
        columns["Failed checks"] = rater_figures.by_code(study, checks.raters, checks.share)[bias.raters]
    columns |= {
        "Longest run": runs.longest,
        "Chance of the run": runs.chance,
        "BT.500 far": bt500.far,
        "BT.500": _verdicts(bt500.rejected),
        "P.913 r": p913.by_item,
        "P.913": _verdicts(p913.rejected),
    }
    table = pd.DataFrame(columns)
    return table.sort_values(_ALPHA if _ALPHA in table else _OTHERS, ignore_index=True)


def ranking_table(study: Study, found: Found) -> pd.DataFrame:
    """The paper's Table 1: per measure the raters from the most to the least consistent, side by side."""
    who = names(study, "rater")
    columns: dict[str, list[str]] = {}
    for measure, one in found.items():
        known = [(e, r) for r, e in zip(one.raters.tolist(), estimates(one), strict=True) if e.defined]
        ranked_here = sorted(known, key=lambda pair: -pair[0].value)
        columns[measure] = [str(who[rater]) for _, rater in ranked_here]
        columns[f"{_term(one)}, {measure}"] = [decimal(e.value, 3) for e, _ in ranked_here]
        columns[f"95 %, {measure}"] = [interval(e) for e, _ in ranked_here]
    table = pd.DataFrame({name: pd.Series(values, dtype=str) for name, values in columns.items()}).fillna("")
    table.insert(0, "Rank", range(1, len(table) + 1))
    return table


def _term(found: Consistency | OthersAgreement) -> str:
    return _ALPHA if isinstance(found, Consistency) else "r"


def _show_agreement_of_everyone(study: Study, measure: str) -> None:
    """The fold with alpha at every level and the ICCs over items."""
    fold = st.expander(
        "How far all raters agree (alpha, ICC)", on_change="rerun", key="agreement_of_everyone"
    )
    if not fold.open:
        return
    with fold:
        found = rater_figures.of_everyone(study, measure)
        if found is None:
            return
        table = pd.DataFrame(
            [
                {
                    "Figure": name,
                    "Value": e.value,
                    "95 %": interval(e, 3),
                    "Items": e.n,
                    "What it says": e.reason or MEANINGS[name.partition(",")[0] if name[0] == "a" else name],
                }
                for name, e in found.items()
            ]
        )
        show_table(table, {"Value": _EXACT, "Items": count}, alt=f"Agreement of all raters on {measure}")


def _consistency_columns(study: Study, codes: Any, found: Consistency | OthersAgreement) -> dict[str, Any]:
    of = estimates(found)
    values = rater_figures.by_code(study, found.raters, [e.value for e in of])[codes]
    between = dict(zip(found.raters.tolist(), (interval(e) for e in of), strict=True))
    told = [between.get(code, "–") for code in codes.tolist()]
    if isinstance(found, Consistency):
        return {
            _ALPHA: values,
            f"{_ALPHA}, 95 %": told,
            "Sets": rater_figures.by_code(study, found.raters, found.sets)[codes],
            "Judgements": rater_figures.by_code(study, found.raters, found.judgements)[codes],
        } | {
            f"{_ALPHA}, {names(study, 'split')[split]}": rater_figures.by_code(
                study, part.raters, [e.value for e in part.alpha]
            )[codes]
            for split, part in (found.by_split or {}).items()
        }
    return {
        _OTHERS: values,
        f"{_OTHERS}, 95 %": told,
        "Items shared": rater_figures.by_code(study, found.raters, found.items)[codes],
        "Alpha without": rater_figures.by_code(study, found.raters, found.alpha_without)[codes],
    }


def _between(low: Any, high: Any) -> list[str]:
    return [interval(Estimate(0.0, a, b)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _verdicts(rejected: Any) -> Any:
    return np.where(rejected, "reject", "")


def _show_table(study: Study, table: pd.DataFrame) -> None:
    """The table with rows to tick, and a button that leaves the ticked raters out."""
    ticked = show_table(
        table,
        WRITTEN | {name: _EXACT for name in table if name.startswith(f"{_ALPHA}, ") and "%" not in name},
        alt="Consistency and screening figures per rater, the least consistent first",
        most=12,
        key="assessors" if len(names(study, "rater")) <= MOST_BY_HAND else None,
    )
    if ticked:
        chosen = table["Rater"].iloc[ticked].tolist()
        st.button(
            f"Leave out the {len(chosen)} ticked",
            on_click=leave_out_by_hand,
            args=(chosen,),
            type="primary",
        )


def _remarks(study: Study, measure: str, found: Consistency | OthersAgreement) -> list[Sentence]:
    """What is undefined or rests on little, each reason once."""
    who = names(study, "rater")
    reasons: dict[str, list[str]] = {}
    for rater, estimate in zip(found.raters.tolist(), estimates(found), strict=True):
        if not estimate.defined:
            reasons.setdefault(estimate.reason, []).append(str(who[rater]))
    told: list[Sentence] = [
        (
            "Undefined for {who}: {reason}.",
            {
                "who": f"{count(len(raters))} raters" if len(raters) > 4 else ", ".join(raters),
                "reason": reason,
            },
        )
        for reason, raters in reasons.items()
    ]
    if isinstance(found, Consistency):
        few = int(((found.sets > 1) & (found.sets < FEW_SETS)).sum())
        if few:
            sentence = "{few} raters have fewer than {sets} sets of identical texts: look at the intervals."
            told.append((sentence, {"few": few, "sets": FEW_SETS}))
    elif not found.alpha_all.defined:
        told.append(("Alpha over items is undefined: {reason}.", {"reason": found.alpha_all.reason}))
    model = rater_figures.model(study, measure)
    for sentence, reason in (
        ("BT.500 can reject nobody here: {reason}.", rater_figures.bt500(study, measure).reason),
        ("Inconsistency (P.910) is undefined: {reason}.", model.reason if model else ""),
    ):
        if reason:
            told.append((sentence, {"reason": reason}))
    return told


EXPLANATION = r"""
**Alpha on identical texts** (Krippendorff's alpha, interval metric). A unit is one set of identical texts
within a topic and condition that the same assessor judged more than once without knowing: 1 means equal scores
whenever the text is equal, 0 no more alike than any two of this assessor's judgments. Pooled over splits; with
fewer than two sets it is undefined. Intervals draw the assessor's sets.

**Agreement with the others** (where no identical texts are known): Pearson's correlation of a rater's scores
with the mean of all other raters on the same items, at least three; severity does not enter. *Alpha without* is
Krippendorff's alpha over items when that rater goes: higher than with everyone means the rater pulls agreement
down.

**Bias**: mean deviation from the items' MOS (P.913, 12.4). **Inconsistency**: the rater's own noise in the
model *score = quality + bias + noise* (P.910, Annex E), with intervals. **Longest run** of equal answers in
time order, with the chance of one as long if the same answers came in random order. **BT.500**: rejected when
more than 5 % of the scores lie far from the others' in both directions. **P.913**: rejected while the
correlation with the MOS is below 0.75 (and, with systems, that of the system means below 0.8), the worst first.

Sources: Owczarzak, Rankel, Dang and Conroy 2012, section 2 and Table 1; Habibi and Popescu-Belis 2012, section
5; ITU-R BT.500, ITU-T P.910 and P.913. Verdicts are advice, not exclusions: nothing is left out until you say
so.
"""
