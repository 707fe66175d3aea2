"""Classes: how common each label is, and which are taken for one another."""

import streamlit as st

from analysis.systems.crowd_labels import ClassShares, class_shares
from analysis.workers.polls import Poll
from charts.systems.classes import class_dots
from charts.systems.labels import confusion_map
from features.plotting.figure import Figure
from features.polls import polls
from features.results import key_of, result
from features.study import Study
from findings.code import choices as program
from findings.systems import classes as findings
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import conclude
from ui.words import note

EXPLANATION = findings.EXPLANATION


def show(study: Study) -> None:
    """Finding, shares, table, and what one says where another says something else."""
    poll = polls(study)[0]
    shares = _shares(study, poll)
    show_finding(findings.finding(poll, shares))
    draw(
        st,
        _figure(poll, shares),
        key="class_shares",
        alt="Share of each class of an item's votes with its interval, the most common on top",
    )
    conclude(
        "classes",
        [(findings.table(poll, shares), "Classes from the most common down")],
        most=12,
        figure=lambda: _figure(poll, shares),
    )
    st.header("Taken for one another")
    if not shares.together.any():
        note(*findings.NO_PAIRS)
    else:
        draw(
            st,
            confusion_map(shares.together, poll.options, look(), "votes", "Another says", rows="One says"),
            key="class_confusion",
            alt="Of two votes on one item, what the other is for where one is for the row's class",
        )
    show_code(lambda: program.classes(study))


def show_at_a_glance(study: Study) -> None:
    """Finding and shares."""
    poll = polls(study)[0]
    shares = _shares(study, poll)
    show_finding(findings.finding(poll, shares))
    draw(st, _figure(poll, shares), key="overview_classes", alt="Share of each class with its interval")


def _shares(study: Study, poll: Poll) -> ClassShares:
    return result(
        key_of(study.dataset, "shares of classes", study.candidate, poll.name),
        lambda: class_shares(poll.votes),
    )


def _figure(poll: Poll, shares: ClassShares) -> Figure:
    return class_dots(
        [(poll.options[at], shares.share[at]) for at in findings.order(shares)],
        look(),
    )
