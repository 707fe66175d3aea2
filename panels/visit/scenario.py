"""The exclusion scenario: which raters are left out, by hand or by a rule, and whether this page applies it.

Chosen in the sidebar on every page and bound to the address, so that a copied address carries it. A rule is
carried as the rule, not as the raters it finds: names of thousands do not fit into an address.
"""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.screening.rater_selection import above, below, lowest
from charts.parts.numbers import count, decimal
from panels.assessors import screening, units
from panels.assessors.assessments import names
from panels.assessors.screening import ranks_by_texts
from panels.parts.words import note, warn
from panels.visit.study import Study
from panels.workers import vote_screening

MOST_BY_HAND = 2000
"""Raters up to which they can be picked by name: the browser gets the whole list."""
NO_RULE = "no rule"
WORST, WORST_UNITS = "the least consistent", "the lowest by mP − aP (pyramid)"
BELOW_ALPHA, BELOW_OTHERS = "alpha below a limit", "agreement with the others below a limit"
BT500, P913 = "BT.500 screening", "P.913 screening"
CHECKS, FAST = "failed check questions", "too fast"
RULES = (NO_RULE, WORST, BELOW_ALPHA, BELOW_OTHERS, WORST_UNITS, BT500, P913, CHECKS, FAST)


@dataclass(frozen=True)
class Scenario:
    """Who is left out and by what rule.

    `name` says it in words, "" for nobody; `without` are rater codes, `names` the same raters' ids; `applied`
    whether pages other than Assessors compute their figures without them; `reason` why a rule finds nobody.
    """

    name: str = ""
    without: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    applied: bool = False
    reason: str = ""

    @property
    def excludes(self) -> bool:
        return bool(self.without)


def scenario() -> Scenario:
    """The scenario that the frame read from the sidebar for this run."""
    return st.session_state["scenario chosen"]


def choose_scenario(study: Study, on_assessors: bool) -> Study:
    """Draws the sidebar's exclusion part and returns the study as the page is to see it."""
    _forget_other_studies_choice(study)
    if not study.whole.has("rater_id"):
        st.session_state["scenario chosen"] = Scenario()
        return study
    with st.sidebar:
        picked = _picked(study)
        rule = st.selectbox(
            "Leave out by a rule",
            _offered(study),
            key="rule",
            bind="query-params",
            help="Raters that the rule finds are left out together with those picked by name.",
        )
        ruled = _by_rule(study, rule)
        found = _together(study, picked, ruled)
        if found.excludes or ruled.reason:
            _say_who(found)
        if found.excludes and not on_assessors:
            applied = st.toggle(
                "Figures of this page without them", key="applied", bind="query-params", value=True
            )
            found = replace(found, applied=applied)
    st.session_state["scenario chosen"] = found
    if not found.applied:
        return study
    return replace(study, dataset=study.whole.leaving_out(found.names))


def leave_out_by_hand(raters: list[str]) -> None:
    """Picks these raters by name; for a button's callback, before the sidebar is drawn again."""
    st.session_state["without"] = raters


def _forget_other_studies_choice(study: Study) -> None:
    seen = (study.whole.id, study.candidate)
    if st.session_state.get("scenario of", seen) != seen:
        st.session_state["rule"] = NO_RULE
        st.session_state["without"] = []
    st.session_state["scenario of"] = seen


def _picked(study: Study) -> list[str]:
    """Raters picked by name."""
    known = names(study, "rater")
    if len(known) > MOST_BY_HAND:
        note("With more than {most} raters, leave some out by a rule.", most=count(MOST_BY_HAND))
        return []
    return st.multiselect(
        "Leave out",
        known[_raters(study)].tolist(),
        key="without",
        bind="query-params",
        placeholder="Nobody",
        help="A what-if: the Assessors page compares the ranking with and without these raters; any other page "
        "can show its figures without them. Nothing is deleted.",
    )


def _raters(study: Study) -> NDArray[np.int64]:
    """Codes of the raters whose ratings or choices are looked at."""
    return screening.raters(study) if study.all_measures else vote_screening.raters(study)


def _together(study: Study, picked: list[str], ruled: Scenario) -> Scenario:
    """Those picked by name and those that the rule finds."""
    by_name = np.flatnonzero(np.isin(names(study, "rater"), picked)).tolist() if picked else []
    codes = sorted({*by_name, *ruled.without})
    parts = [ruled.name] if ruled.name else []
    if picked:
        parts.append("picked by hand" if not parts else f"{len(picked)} picked by hand")
    return Scenario(
        " and ".join(parts),
        tuple(codes),
        tuple(names(study, "rater")[codes].tolist()),
        reason=ruled.reason,
    )


def _offered(study: Study) -> list[str]:
    if study.holds_choices:
        return [NO_RULE, WORST, BELOW_OTHERS, *([FAST] if study.whole.has("seconds") else [])]
    if not study.all_measures:
        return [NO_RULE]
    offered = list(RULES)
    if units.contributors_of(study) is None:
        offered.remove(WORST_UNITS)
    if not study.whole.has("check"):
        offered.remove(CHECKS)
    if not study.whole.has("seconds"):
        offered.remove(FAST)
    return offered


def _by_rule(study: Study, rule: str) -> Scenario:
    if rule == NO_RULE:
        return Scenario()
    return {
        WORST: _worst,
        WORST_UNITS: _worst_units,
        BELOW_ALPHA: _below_alpha,
        BELOW_OTHERS: _below_others,
        BT500: _bt500,
        P913: _p913,
        CHECKS: _failed_checks,
        FAST: _too_fast,
    }[rule](study)


def _worst(study: Study) -> Scenario:
    if study.holds_choices:
        return _lowest(study, vote_screening.others_values(study), "by agreement with the others (r_w)")
    by = _by_measure(study)
    if ranks_by_texts(study, by):
        return _lowest(study, screening.alpha_values(study, by), f"by alpha on identical texts of {by}")
    return _lowest(study, screening.others_values(study, by), f"by agreement with the others on {by}")


def _worst_units(study: Study) -> Scenario:
    return _lowest(study, units.difference_values(study), "by mP − aP")


def _below_alpha(study: Study) -> Scenario:
    by = _by_measure(study)
    if not ranks_by_texts(study, by):
        return Scenario(reason=f"no rater judged identical texts of {by} twice, so no alpha is known")
    return _below(study, screening.alpha_values(study, by), f"alpha of {by}")


def _below_others(study: Study) -> Scenario:
    if study.holds_choices:
        return _below(study, vote_screening.others_values(study), "agreement with the others (r_w)")
    by = _by_measure(study)
    return _below(study, screening.others_values(study, by), f"agreement with the others on {by}")


def _bt500(study: Study) -> Scenario:
    by = _by_measure(study)
    found = screening.bt500(study, by)
    return _of(study, found.raters[found.rejected], f"rejected by BT.500 on {by}", found.reason)


def _p913(study: Study) -> Scenario:
    by = _by_measure(study)
    found = screening.p913(study, by)
    return _of(study, found.raters[found.rejected], f"rejected by P.913 on {by}")


def _failed_checks(study: Study) -> Scenario:
    limit = st.slider(
        "Failed more than this share of checks (%)",
        0,
        95,
        20,
        5,
        key="failed_share",
        bind="query-params",
        help="Trap and gold questions answered otherwise than expected.",
    )
    off = st.number_input(
        "An answer may be off by",
        0.0,
        step=1.0,
        key="check_tolerance",
        bind="query-params",
        help="How far an answer may lie from the expected one and still pass, in score points. ITU-T P.808 allows 1 "
        "for gold questions, 0 for traps.",
    )
    found = screening.failed_checks(study, off)
    name = f"more than {limit} % of their checks failed" + (f", off by more than {off:g}" if off else "")
    return _of(study, found.raters[above(found.share, limit / 100)], name)


def _too_fast(study: Study) -> Scenario:
    by = "" if study.holds_choices else _by_measure(study)
    limit = st.slider(
        "Faster than this share of the usual time (%)",
        5,
        95,
        50,
        5,
        key="fast_share",
        bind="query-params",
        help="A rater's median seconds per rating against the median of all raters' medians.",
    )
    found = (
        vote_screening.speed(study, limit / 100)
        if study.holds_choices
        else screening.speed(study, by, limit / 100)
    )
    on = f" on {by}" if by else ""
    return _of(study, found.raters[found.too_fast], f"faster than {limit} % of the usual time{on}")


def _by_measure(study: Study) -> str:
    if len(study.all_measures) == 1:
        return study.all_measures[0]
    return st.selectbox("Judged on", study.all_measures, key="judged_on", bind="query-params")


def _lowest(study: Study, values: NDArray[np.float64], by: str) -> Scenario:
    """The lowest by a value per rater code."""
    most = max(len(_raters(study)) - 1, 1)
    how_many = int(st.number_input("How many", 1, most, 1, key="worst", bind="query-params"))
    return _of(study, lowest(values, how_many), f"worst {how_many} {by}", "nobody's rank is known")


def _below(study: Study, values: NDArray[np.float64], what: str) -> Scenario:
    limit = st.slider("Limit", -1.0, 1.0, 0.5, 0.05, key="limit", bind="query-params")
    name = f"{what} below {decimal(limit)}"
    return _of(study, below(values, limit), name, f"nobody's {what} is below {decimal(limit)}")


def _of(study: Study, codes: NDArray[np.int64], name: str, reason: str = "") -> Scenario:
    """The scenario of these raters, or why there are none."""
    if not len(codes):
        return Scenario(reason=reason or "the rule finds nobody")
    chosen = tuple(codes.tolist())
    return Scenario(name, chosen, tuple(names(study, "rater")[list(chosen)].tolist()))


def _say_who(found: Scenario) -> None:
    if found.reason:
        note("The rule leaves out nobody: {reason}.", reason=found.reason)
    if not found.excludes:
        return
    told = ", ".join(found.names[:6]) + (
        f" and {count(len(found.names) - 6)} more" if len(found.names) > 6 else ""
    )
    warn("Left out: {who} ({name}).", who=told, name=found.name)
