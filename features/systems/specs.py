"""Choices that a ranking of systems is computed from."""

from dataclasses import dataclass, field

from analysis.assessors.exclusion import ExclusionSpec, Method
from analysis.values.estimate import BootstrapSpec

ALL_SYSTEMS = "All systems"
TWO_SYSTEMS = "Any two systems"
CLASSES = "Classes"
KNOWN_ANSWERS = "Against known answers"
"""Questions that a study of choices can be asked."""
PENALTY_WORDS = ("penalt", "error", "mistake", "badness", "annoy", "distort")
"""Beginnings of words in a measure's name with which low scores are the good ones."""


@dataclass(frozen=True)
class ScoresSpec:
    """Scores of systems by one measure.

    `lowest_first` says whether a low score is a good one, None that the measure's name says so. `method` is how a
    system's score is made from its cells, `bootstrap` how intervals are drawn; 0 draws give scores without them.
    """

    measure: str
    lowest_first: bool | None = None
    method: Method = "automatic"
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)

    @property
    def ranks_lowest_first(self) -> bool:
        """True where the lowest score comes first."""
        return low_is_good(self.measure) if self.lowest_first is None else self.lowest_first

    @property
    def exclusion(self) -> ExclusionSpec:
        """How scores and their intervals are computed."""
        return ExclusionSpec(method=self.method, draws=self.bootstrap.draws, seed=self.bootstrap.seed)


def low_is_good(measure: str) -> bool:
    """Return True where a measure's name says that low scores are the good ones.

    >>> low_is_good("mqm_penalty"), low_is_good("overall quality"), low_is_good("WER"), low_is_good("power")
    (True, False, True, False)
    """
    words = measure.casefold().replace("_", " ").replace("-", " ").split()
    return any(word.startswith(PENALTY_WORDS) or word == "wer" for word in words)
