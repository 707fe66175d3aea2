"""What length has to do with what is found, in whole sentences with their numbers."""

from math import nan

import numpy as np
import pytest

from analysis.comprehension.length_and_found import LengthAndFound, Summaries, length_and_found
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.comprehension import length
from tests.findings.comprehension.asked import CLOSED, NAMES, answers, told


def lengths(over_authors: Estimate, within: Estimate) -> LengthAndFound:
    closed = length_and_found(
        answers(),
        Summaries(
            np.array([0, 0, 0]),
            np.array([0, 1, 2]),
            np.array([10.0, 8.0, 5.0]),
            np.array([60.0, 50.0, 20.0]),
            3,
        ),
        (2,),
        CLOSED,
    )
    assert closed.people == [0, 1]
    return LengthAndFound(closed.levels, closed.table, over_authors, within, closed.people)


@pytest.mark.parametrize(
    ("over_authors", "within", "said"),
    [
        (
            Estimate(0.965, 0.05, 0.999, 4),
            Estimate(0.3, 0.1, 0.5, 150),
            "Authors with longer summaries answer more: r = 0.96 (0.05 to 1.00) over 4 authors, which are few: any "
            "correlation from 0.05 to 1.00 would fit, and Fisher's interval is exact for so few only where both are "
            "normal over authors. Of summaries of the same story the longer ones answer more: r = 0.30 (0.10 to 0.50) "
            "over 150.",
        ),
        (
            Estimate(0.1, -0.5, 0.6, 12),
            Estimate(nan, reason="no story has two summaries"),
            "Whether authors with longer summaries answer more remains open: r = 0.10 (−0.50 to 0.60) over 12 authors. "
            "Within stories it is undefined: no story has two summaries.",
        ),
        (
            Estimate(nan, reason="there are 2"),
            Estimate(-0.2, n=9),
            "No correlation of length with what is found over authors: there are 2. Of summaries of the same story "
            "length and what is found go together like this: r = −0.20 over 9.",
        ),
    ],
)
def test_what_length_has_to_do_with_it(over_authors: Estimate, within: Estimate, said: str) -> None:
    assert told(length.finding_of(lengths(over_authors, within))) == said


def test_the_table_of_lengths_has_the_authors_of_summaries() -> None:
    table, _ = length.authors_table(lengths(Estimate(0.5), Estimate(0.5)), NAMES)
    assert table["Author"].tolist() == NAMES
    assert table["Characters"].tolist() == [60, 50, 20]
    assert table["Found"].tolist() == [1, 0.5, 0.5]
    assert list(map(told, length.remarks((2,), 1, 4))) == [
        "1 of 4 summaries have no known length and count in no length.",
        "Machines are hollow diamonds and stay out of both correlations.",
    ]


@pytest.mark.parametrize(
    ("over_authors", "within", "status"),
    [
        (Estimate(0.965, 0.05, 0.999, 4), Estimate(0.3, 0.1, 0.5, 150), Status.CLEAR),
        (Estimate(0.1, -0.5, 0.6, 12), Estimate(0.3, 0.1, 0.5, 150), Status.UNCERTAIN),
        (Estimate(nan, reason="there are 2"), Estimate(-0.2, n=9), Status.UNCERTAIN),
        (Estimate(nan, reason="there are 2"), Estimate(nan, reason="one story"), Status.NOT_ENOUGH_DATA),
    ],
)
def test_length_matters_clearly_where_the_interval_leaves_out_0(
    over_authors: Estimate, within: Estimate, status: Status
) -> None:
    assert length.finding_of(lengths(over_authors, within)).status is status
    assert not length.UNKNOWN.status.concludes
