"""Spec of "Replacing raters", its candidates, and what is known of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Literal

from analysis.comparison.comparison import Comparison, ComparisonSpec
from analysis.replacement.alternative_annotator import AlternativeAnnotator, Score
from analysis.values.estimate import Estimate, Scope
from features.plotting.theme import is_crowd_name

Kind = Literal["group", "column", "rater"]
FEWEST_RATERS = 3
"""Reference raters that must be tested for a verdict (Calderon et al. 2025, section 3)."""
CROWD, UNKNOWN = 0.1, 0.2
"""Default epsilon for a reference that is called a crowd, and for others."""
LITTLE = 0.2
"""Alpha of the reference raters below which passing a test of agreement with them says little."""
LITTLE_WORTH = 0.5
"""Raters below which a candidate hardly ranks items."""
LABELS = "choices have no mean to correlate"


def with_article(name: str) -> str:
    """Return a name with the indefinite article.

    >>> with_article("crowd"), with_article("expert")
    ('a crowd', 'an expert')
    """
    return f"{'an' if name[:1].casefold() in tuple('aeiou') else 'a'} {name}"


@dataclass(frozen=True)
class ReplacementSpec:
    """Test of candidates for the raters of a reference group on one measure, "" for choices.

    `epsilon` is the tolerance, `q` the share of wrong replacements, `fewest` the items that a tested rater shares.
    `rater` is a candidate besides groups and columns. With `rescaled`, numbers on another scale are put on that of the
    ratings. `comparison` is the spec of order and level, which all candidates have with `order_of_all`, else the first.
    `scope` is that of all intervals. `several_measures`, `one_group` and `has_repeats` say what sentences name.
    """

    reference: str
    measure: str
    score: Score
    epsilon: float = UNKNOWN
    q: float = 0.05
    fewest: int = 30
    rater: str | None = None
    rescaled: bool = False
    comparison: ComparisonSpec = field(default_factory=ComparisonSpec)
    scope: Scope = "raters like these"
    order_of_all: bool = False
    several_measures: bool = False
    one_group: bool = False
    has_repeats: bool = False

    @property
    def a_rater(self) -> str:
        """A reference rater, as a sentence names one."""
        return "a rater" if self.one_group else f"{with_article(self.reference)} rater"

    @property
    def raters(self) -> str:
        """The reference raters, as a sentence names them."""
        return "raters" if self.one_group else f"{self.reference} raters"

    @property
    def on(self) -> str:
        """The measure as the end of a sentence, where there are several."""
        return f" on {self.measure}" if self.several_measures else ""


@dataclass(frozen=True)
class Candidate:
    """Candidate for the place of a rater: a group, a numeric column of the items, or one rater, by a unique name."""

    name: str
    kind: Kind
    source: str


@dataclass(frozen=True)
class Prices:
    by_candidate: Mapping[str, float] = field(default_factory=dict)
    currency: str = "€"


@dataclass(frozen=True, eq=False)
class CandidateResult:
    """Test, worth, order and level of one candidate.

    `test` is None with its reason in `untested` where the candidate is on another scale; `worth` is the number of
    raters whose mean ranks items as well. `compared` is the comparison with the reference, in which a group is the
    candidate and anything else the reference; choices have none. Raters' part in the interval of worth is estimated
    from `read_off` items, 0 for all. `agreement` is the alpha of the reference raters.
    """

    name: str
    kind: Kind
    test: AlternativeAnnotator | None
    worth: Estimate
    compared: Comparison | None
    rescaled: bool = False
    untested: str = ""
    read_off: int = 0
    agreement: Estimate = field(default=Estimate(nan))

    @property
    def is_tested(self) -> bool:
        """True where enough reference raters were tested for a verdict."""
        return self.test is not None and len(self.test.raters) >= FEWEST_RATERS

    @property
    def passes_test(self) -> bool:
        """True where the candidate passes the test, whatever that says."""
        return self.test is not None and self.is_tested and self.test.passes

    @property
    def passes(self) -> bool:
        """True where the candidate passes, and the reference raters agree enough for that to say something."""
        return self.passes_test and not hardly_agree(self.agreement)

    @property
    def verdict(self) -> str | None:
        """Word of the table: whether the candidate can replace a rater; None without a test."""
        if not self.is_tested:
            return None
        return "yes" if self.passes else "unclear" if self.passes_test else "not shown"

    @property
    def advantage(self) -> Estimate:
        """Share of items on which the candidate does at least as well as a rater."""
        return Estimate(nan, reason=self.untested) if self.test is None else self.test.advantage

    @property
    def of_verdict(self) -> Estimate:
        """Share of tested raters that it replaces, without which there is no verdict."""
        if self.test is None or self.is_tested or self.test.reason:
            return Estimate(nan if self.test is None else self.test.winning_rate)
        number = len(self.test.raters)
        raters = f"{number} rater{'' if number == 1 else 's'}"
        return Estimate(nan, reason=f"a verdict needs {FEWEST_RATERS} tested raters, there are {raters}")

    @property
    def order(self) -> Estimate:
        """Spearman's rho of its values with the reference's means."""
        return Estimate(nan, reason=LABELS) if self.compared is None else self.compared.spearman

    @property
    def level(self) -> Estimate:
        """Its mean minus the reference's, in points of the scale."""
        if self.compared is None:
            return Estimate(nan, reason=LABELS)
        if self.rescaled or not self.compared.same_scale:
            return Estimate(nan, reason="it is on another scale")
        difference = self.compared.mean_difference
        if self.kind != "column":
            return difference
        return replace(difference, value=-difference.value, low=-difference.high, high=-difference.low)

    @property
    def hardly_ranks(self) -> bool:
        """True where it passes though it hardly ranks items: it stays near the middle of the scale."""
        return self.passes and self.worth.defined and self.worth.value < LITTLE_WORTH


Results = tuple[CandidateResult, ...]


def hardly_agree(agreement: Estimate) -> bool:
    """Return True where raters may agree no better than chance, or clearly agree little."""
    if isnan(agreement.low):
        return agreement.value < LITTLE
    return agreement.low <= 0 or agreement.high < LITTLE


def usual_epsilon(reference: str) -> float:
    return CROWD if is_crowd_name(reference) else UNKNOWN


def by_advantage(results: Results) -> list[CandidateResult]:
    """Return the candidates with a verdict, the highest advantage first."""
    return sorted((one for one in results if one.is_tested), key=lambda one: -one.advantage.value)


def leading(results: Results) -> CandidateResult | None:
    """Return the candidate whose worth, order and level are stated; None where no worth is known."""
    ranked = by_advantage(results) or [one for one in results if one.worth.defined]
    return ranked[0] if ranked and ranked[0].worth.defined else None
