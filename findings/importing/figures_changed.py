"""The figures of a study that holds no ratings, beside those of another version of it, or of itself without some
raters: shares, by what they are of.

No interval is drawn: both versions are mostly the same rows, so that intervals of each would say nothing of what
changed between them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd

from analysis.screening.rater_selection import change
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.workers.crowd_labels import class_shares
from analysis.workers.label_accuracy import label_accuracy
from analysis.workers.polls import Poll
from analysis.workers.preference import MAJORITY, PCCH, PreferenceSpec
from analysis.workers.scale.paired_votes import design_of
from charts.comprehension.figure_names import FIGURE_NAMES
from charts.parts.numbers import UNDEFINED, decimal, share
from data.dataset import Dataset
from findings.bench import at_once, key_of, result
from findings.comprehension.answers import machines
from findings.comprehension.shared import LABEL, shares_of
from findings.leaving_out import left_out_words
from findings.relevance.agreement import sides
from findings.relevance.both import both_at_once
from findings.relevance.judgments import usual_full_text
from findings.relevance.rows import main_rows
from findings.study import ALL_GROUPS, Scenario, Study
from findings.systems.one_scale import paired_of, scale_of
from findings.systems.preference_figures import at_hand
from findings.tables import Shown
from findings.words import Sentence
from findings.workers.polls import is_pairs, polls

Figures = Mapping[str, Estimate]
Changed = tuple[str, Estimate, Estimate]
"""What a share is of, before and after."""
NOT_THERE = Estimate(float("nan"), reason="it is not there")
QUICK = PreferenceSpec(draws=0)


def figures_changed(before: Study, after: Study) -> tuple[Changed, ...]:
    """The figures of both, those of the first one first; ratings have theirs by measure and group."""
    old, new = (
        _OF_KIND[one.whole.kind](one) if one.whole.kind in _OF_KIND else {} for one in (before, after)
    )
    return tuple((name, old.get(name, NOT_THERE), new.get(name, NOT_THERE)) for name in {**old, **new})


def most_changed_without(changed: Sequence[Changed], scenario: Scenario) -> list[Sentence]:
    """The same of a study without some of its raters."""
    return [
        (
            f"Without <b>{{k}} rater{{s}}</b> ({{who}}): {template[0].lower()}{template[1:]}",
            {**left_out_words(scenario), "who": scenario.name, **values},
        )
        for template, values in most_changed(changed)
    ]


def most_changed(changed: Sequence[Changed]) -> list[Sentence]:
    """The share that changed most, where any did."""
    known = [each for each in changed if each[1].defined and each[2].defined]
    if not known:
        return []
    name, before, after = max(known, key=lambda each: abs(change(each[1].value, each[2].value)))
    if before.value == after.value:
        return [("All shares are as they were.", {})]
    return [
        (
            "Of the shares, that of {name} changed most: <b>{after}</b> instead of {before}.",
            {"name": name, "after": share(after.value, 1), "before": share(before.value, 1)},
        )
    ]


def figures_table(changed: Sequence[Changed], heads: tuple[str, str] = ("Before", "After")) -> Shown:
    """One row per share: before, after, and the difference in points."""
    rows = [
        {
            "Share": name,
            heads[0]: before.value,
            heads[1]: after.value,
            "Difference in points": 100 * change(before.value, after.value),
            "Why": "; ".join(dict.fromkeys(e.reason for e in (before, after) if not e.defined)),
        }
        for name, before, after in changed
    ]
    shares = dict.fromkeys(heads, partial(share, digits=1))
    return pd.DataFrame(rows), shares | {"Difference in points": _points}


def _points(difference: float) -> str:
    told = decimal(difference, 1)
    return f"+{told}" if difference > 0 and told != UNDEFINED else told


def study_of(dataset: Dataset) -> Study:
    """All of a data set that holds no ratings."""
    return Study("", dataset, dataset, (), (), ALL_GROUPS, None, None, ())


def _of_choices(study: Study) -> Figures:
    there = polls(study)
    return _of_pairs(study, there) if is_pairs(study) else _of_labels(study, there)


def _of_pairs(study: Study, there: Sequence[Poll]) -> Figures:
    """Each pair's share by two methods, and with more than two systems the chance of each on one scale."""
    found: dict[str, Estimate] = {}
    for poll in there:
        shares = at_hand(study, poll, QUICK).shares
        found |= {f"{poll.first}: {poll.name}, by {method}": shares[method] for method in (PCCH, MAJORITY)}
    if len({system for poll in there for system in (poll.first, poll.second)}) > 2:
        designs = tuple(dict.fromkeys(map(design_of, there)))
        scale = scale_of(study, designs, paired_of(study, designs))
        found |= {
            f"{system}: on one scale (Bradley-Terry)": Estimate(chance, reason=reason)
            for system, chance, reason in zip(
                scale.systems.tolist(), scale.chance.tolist(), scale.reasons, strict=True
            )
        }
    return found


def _of_labels(study: Study, there: Sequence[Poll]) -> Figures:
    """How common each class is, and where answers are known how often each method is right."""
    found: dict[str, Estimate] = {}
    for poll in there:
        shares = result(
            key_of(study.dataset, "shares of classes", study.candidate, poll.name),
            partial(class_shares, poll.votes),
        )
        found |= {
            f"{name}: of an item's votes": e for name, e in zip(poll.options, shares.share, strict=True)
        }
        if (poll.gold >= 0).any():
            right = result(
                key_of(study.dataset, "labels against gold, closed", poll.name),
                partial(label_accuracy, poll.votes, poll.gold, BootstrapSpec(draws=0)),
            )
            found |= {f"{method}: items labelled right": e for method, e in right.accuracy.items()}
    return found


def _of_answers(study: Study) -> Figures:
    """The shares of the answers, as the page Comprehension has them of all."""
    automatic = machines(study)
    shared = at_once(study, LABEL, partial(shares_of, study, automatic), automatic)
    return {f"answers {FIGURE_NAMES[figure]}": e for figure, e in shared.shown.overall.of(0).items()}


def _of_judgments(study: Study) -> Figures:
    """How often judgments of each surrogate are right, by what they are held against."""
    rows = main_rows(study, usual_full_text(study))
    return {
        f"{rows.surrogates.names[at]}: accuracy, {side}": agreements[at].accuracy
        for side, agreements in sides(both_at_once(study, rows))
        for at in rows.surrogates.there
    }


_OF_KIND: Mapping[str, Callable[[Study], Figures]] = {
    "choices": _of_choices,
    "comprehension": _of_answers,
    "relevance": _of_judgments,
}
