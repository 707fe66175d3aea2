"""The choice among the polls of the open study."""

from analysis.workers.polls import Poll
from features.polls import polls
from features.study import Study
from ui.controls import choose_one


def chosen_poll(study: Study) -> Poll:
    """The poll to look at, chosen where there are several."""
    by_name = {poll.name: poll for poll in polls(study)}
    if len(by_name) == 1:
        return next(iter(by_name.values()))
    return by_name[choose_one("Comparison", list(by_name), key="compared", width=320)]
