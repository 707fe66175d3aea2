"""What is known about each rater of the open study of choices, cached, for the rules that leave some out.

Everything is about everyone's choices: a scenario is chosen by these figures, so it cannot change them.
"""

import numpy as np
from numpy.typing import NDArray

from analysis.screening import rating_speed
from analysis.workers import pcch_reliability
from features.polls import pooled
from features.results import key_of, query, result
from features.study import ALL_GROUPS, Study


def raters(study: Study) -> NDArray[np.int64]:
    """Codes of the chosen group's raters."""
    if study.candidate == ALL_GROUPS:
        return np.arange(len(query(study.whole, "rater_names")["name"]))
    return np.asarray(query(study.whole, "group_raters", group=study.candidate)["rater"])


def others_values(study: Study) -> NDArray[np.float64]:
    """r_w over all comparisons by rater code, NaN where it is not defined."""
    study = study.between_raters

    def compute() -> NDArray[np.float64]:
        poll, of_item = pooled(study.everyone)
        values = np.full(len(query(study.whole, "rater_names")["name"]), np.nan)
        r = pcch_reliability.reliabilities(poll.votes, poll=of_item)[0]
        values[poll.rater_code] = np.where(pcch_reliability.undefined(poll.votes, of_item), np.nan, r)
        return values

    return result(key_of(study.whole, "r_w of all", study.candidate), compute)


def speed(study: Study, factor: float) -> rating_speed.Speed:
    """Each rater's median seconds per choice."""
    poll, _ = pooled(study.everyone)
    return result(
        key_of(study.whole, "speed of choices", study.candidate, factor),
        lambda: rating_speed.speed(poll.rater_code[poll.votes.rater], poll.seconds, factor),
    )
