"""Kappas of yes-or-no judgments: Cohen's, and the one of Hobson et al. that takes chance as given."""

from dataclasses import replace

from analysis.values.errors import InputError
from analysis.values.estimate import Estimate
from analysis.values.quotients import ratio
from analysis.values.types import Floats


def cohen(both_yes: Floats, both_no: Floats, only_first: Floats, only_second: Floats) -> Floats:
    """Cohen's kappa of yes-or-no tables (Cohen 1960, "A coefficient of agreement for nominal scales").

    >>> cohen(*np.array([[1.0], [2.0], [0.0], [1.0]])).tolist()
    [0.5]
    """
    yes, no = both_yes + only_first, both_no + only_second
    yes_second, no_second = both_yes + only_second, both_no + only_first
    return ratio(2 * (both_yes * both_no - only_first * only_second), yes * no_second + yes_second * no)


def paper_kappa(accuracy: Estimate, chance: float = 0.5) -> Estimate:
    """The paper's kappa: agreement with gold beyond a chosen agreement by chance.

    Parameters
    ----------
    accuracy : P_A with its interval, of judgments (n,)
    chance : P_E

    Raises
    ------
    InputError
        where `chance` is not from 0 to below 1.

    Notes
    -----
    (P_A - P_E) / (1 - P_E). Answers: how far above chance is the accuracy? Not Cohen's kappa, which takes P_E from
    the answers themselves: with half of the documents relevant, P_E = 0.5 whatever a rater says.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2.

    >>> round(paper_kappa(Estimate(0.69)).value, 2)
    0.38
    """
    if not 0 <= chance < 1:
        raise InputError(f"`chance` must be from 0 to below 1, got {chance}")

    def kappa(agreed: float) -> float:
        return (agreed - chance) / (1 - chance)

    return replace(accuracy, value=kappa(accuracy.value), low=kappa(accuracy.low), high=kappa(accuracy.high))
