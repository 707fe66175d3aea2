"""What is asked of repetitions of ratings: how orders are drawn, what the curves correlate, what counts as enough."""

from dataclasses import dataclass

from analysis.correlation.running import Correlation
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.estimate import BootstrapSpec
from analysis.values.scope import Scope
from findings.repetitions.stopping_rules import Enough

SYMBOLS: dict[Correlation, str] = {
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "kendall": "Kendall's τ-b",
}


@dataclass(frozen=True)
class Settings:
    """Settings of the simulated curves, of the knee and its interval, and of what counts as enough.

    `scope` is of the reliability and the knee's interval.
    """

    spec: RepetitionSpec
    sensitivity: float
    bootstrap: BootstrapSpec
    enough: Enough
    scope: Scope | None = None

    @property
    def correlation(self) -> str:
        """The name of what the curves show."""
        return SYMBOLS[self.spec.correlation]
