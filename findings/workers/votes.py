"""What was chosen how often."""

from collections.abc import Sequence

import pandas as pd

from analysis.workers.polls import Poll
from features.plotting.numbers import count
from features.tables import Shown


def votes_table(polls: Sequence[Poll]) -> Shown:
    """How often each option of each poll was chosen."""
    rows = [
        {
            "Comparison": poll.name,
            "Items": poll.votes.items,
            "Workers": poll.votes.raters,
            "Option": option,
            "Votes": votes,
        }
        for poll in polls
        for option, votes in zip(poll.options, poll.votes.per_option.tolist(), strict=True)
    ]
    return pd.DataFrame(rows), dict.fromkeys(("Votes", "Items", "Workers"), count)
