"""The rules by which raters of a study of ratings can be left out."""

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from data.dataset import Dataset
from features import exclusion_rules
from features.exclusion_rules import (
    BELOW_ALPHA,
    BELOW_OTHERS,
    BT500,
    CHECKS,
    DIVISORS,
    FAST,
    P913,
    WORST,
    WORST_UNITS,
)
from features.raters import rater_results
from features.raters.rater_results import ranks_by_texts
from features.study import Scenario, Study
from ui.controls import choose_one
from ui.errors import told_in_words
from ui.visit.joined import contributors_of, keep_contributors_in_address
from ui.visit.scenario import Rules


def rules(study: Study) -> Rules:
    """Every rule that the columns of the study allow."""
    pyramid = contributors_of(study)
    return {
        WORST: lambda: _worst(study),
        BELOW_ALPHA: lambda: _below_alpha(study),
        BELOW_OTHERS: lambda: _below_others(study),
        **({WORST_UNITS: partial(_worst_units, study, pyramid)} if pyramid is not None else {}),
        BT500: lambda: _bt500(study),
        P913: lambda: _p913(study),
        **({CHECKS: lambda: _failed_checks(study)} if study.whole.has("check") else {}),
        **({FAST: lambda: _too_fast(study)} if study.whole.has("seconds") else {}),
    }


def speed_limit() -> int:
    """The slider of the rule on speed, in percent of the usual time."""
    return st.slider(
        "Faster than this share of the usual time (%)",
        5,
        95,
        50,
        5,
        key="fast_share",
        bind="query-params",
        help="A rater's median seconds per rating against the median of all raters' medians.",
    )


def how_many(raters: NDArray[np.int64]) -> int:
    """How many of the lowest go."""
    return int(st.number_input("How many", 1, max(len(raters) - 1, 1), 1, key="worst", bind="query-params"))


def limit() -> float:
    """Below which raters go."""
    return float(st.slider("Limit", -1.0, 1.0, 0.5, 0.05, key="limit", bind="query-params"))


def _worst(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.worst(study, by, how_many(rater_results.raters(study)))


def _worst_units(study: Study, pyramid: Dataset) -> Scenario:
    keep_contributors_in_address(study)
    lowest = how_many(rater_results.raters(study))
    with told_in_words():
        return exclusion_rules.lowest_units(study, pyramid, lowest)


def _below_alpha(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.below_alpha(study, by, limit() if ranks_by_texts(study, by) else 0.0)


def _below_others(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.below_others(study, by, limit())


def _bt500(study: Study) -> Scenario:
    by = _by_measure(study)
    divided = st.selectbox(
        "An item's SD divides by",
        list(DIVISORS),
        key="bt500_divisor",
        bind="query-params",
        help="ITU-R BT.500 divides the squares by n − 1. The package sureal divides by n: its SD is smaller, so more "
        "scores lie far from the others', and raters are rejected whom the standard keeps.",
    )
    return exclusion_rules.bt500(study, by, DIVISORS[divided])


def _p913(study: Study) -> Scenario:
    return exclusion_rules.p913(study, _by_measure(study))


def _failed_checks(study: Study) -> Scenario:
    failed = st.slider(
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
    return exclusion_rules.failed_checks(study, failed, off)


def _too_fast(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.too_fast(study, by, speed_limit())


def _by_measure(study: Study) -> str:
    if len(study.all_measures) == 1:
        return study.all_measures[0]
    return choose_one("Judged on", study.all_measures, key="judged_on")
