"""The open study: its data set, what was chosen of it, and which raters are excluded."""

from dataclasses import dataclass, replace

from analysis.assessors.exclusion import ExclusionRule
from data.dataset import Dataset, Merge
from data.kinds.likely_names import is_model
from data.samples import SAMPLES

SPLIT_HALVES = "Split halves (no reference)"
COLUMN_SUFFIX = " (column)"
ALL_GROUPS = "all groups"
"""The candidate of a study of choices unless one group is chosen."""


WITH_GROUPS = ("ratings", "choices", "label sets", "rankings")
"""Kinds of studies whose raters may be in groups."""


@dataclass(frozen=True)
class Study:
    """The open data set and what the sidebar has chosen of it.

    `whole` is the data set with everyone's ratings, or a view that keeps what passes the filters; `dataset` what
    figures are computed from: the same, or a view without the raters that the scenario excludes. Exactly
    one of three references holds: a group (`reference`), a numeric column of the items (`reference_column`), or
    neither, which means split halves. A study of choices has no measures and no reference, and its candidate may be
    `ALL_GROUPS`. `contributors` are those of its pyramid, and `comparisons` choices between its systems, where whoever
    opened it found some. `merge` says which value stands for a rater's repeats of an item in figures that compare
    raters; None where nobody judged an item twice.
    """

    key: str
    whole: Dataset
    dataset: Dataset
    groups: tuple[str, ...] = ()
    all_measures: tuple[str, ...] = ()
    candidate: str = ALL_GROUPS
    reference: str | None = None
    reference_column: str | None = None
    measures: tuple[str, ...] = ()
    contributors: Dataset | None = None
    comparisons: Dataset | None = None
    merge: Merge | None = None

    @property
    def holds_choices(self) -> bool:
        """True where raters chose between options; otherwise they gave numbers."""
        return self.whole.kind == "choices"

    @property
    def holds_rankings(self) -> bool:
        """True where raters ranked options."""
        return self.whole.kind == "rankings"

    @property
    def holds_label_sets(self) -> bool:
        """True where raters gave sets of labels."""
        return self.whole.kind == "label sets"

    @property
    def everyone(self) -> "Study":
        """The same study with no rater excluded."""
        return replace(self, dataset=self.whole)

    @property
    def between_raters(self) -> "Study":
        """The study for figures that compare raters: a rater's repeats of an item count as one value."""
        if self.merge is None:
            return self
        whole, dataset = (each.merging_repeats(self.merge) for each in (self.whole, self.dataset))
        return replace(self, whole=whole, dataset=dataset)

    @property
    def unfiltered(self) -> "Study":
        """The same study with all raters and rows."""
        return replace(self, whole=self.whole.as_saved, dataset=self.whole.as_saved)

    @property
    def synthetic(self) -> bool:
        return any(sample.key == self.key for sample in SAMPLES)

    @property
    def comparable(self) -> bool:
        """True where there is something other than the candidate to compare it with."""
        return self.reference_column is not None or self.reference not in (None, self.candidate)

    @property
    def raters_are_persons(self) -> bool:
        """False where rater ids are only slots (a wide file whose columns are repetitions, not people)."""
        return self.dataset.raters_are_persons

    @property
    def reference_name(self) -> str:
        return self.reference or self.reference_column or "split halves"


def usual_roles(groups: tuple[str, ...]) -> tuple[int, int]:
    """Return the positions of the default candidate and reference: the laboratory, experts or people are the reference.

    >>> usual_roles(("crowd", "lab")), usual_roles(("human", "judge")), usual_roles(("gpt4", "students"))
    ((0, 1), (1, 0), (0, 1))
    """
    if len(groups) == 1:
        return 0, 1
    at = usual_reference(groups)
    return (0, 1) if at is None else (0 if at else 1, at)


def usual_reference(groups: tuple[str, ...]) -> int | None:
    """Return the position of the group that is called a laboratory, experts or people, or next to models is none."""
    for at, name in enumerate(groups):
        if any(word in name.casefold() for word in ("lab", "expert", "gold", "reference", "human")):
            return at
    people = [at for at, name in enumerate(groups) if not is_model(name)]
    return people[0] if 0 < len(people) < len(groups) else None


@dataclass(frozen=True)
class QualificationRule:
    """Rule that raters fail whose ratings on a measure are too far from those of `whom`, a group, a column or checks.

    `pass_mark` is a share of the points, `fewest` the known ratings from which a rater is judged. An equal rating gets
    `span` points, the width of the scale; 0 takes the difference of the highest and the lowest score that occur.
    """

    whom: str
    on: str
    pass_mark: float = 0.625
    fewest: int = 4
    span: float = 0.0


@dataclass(frozen=True)
class Scenario:
    """The raters that are excluded, and the rule that finds them.

    `name` says it in words, "" for nobody; `left_out_codes` are rater codes, `names` the same raters' ids;
    with `applied`, pages other than Raters compute their figures without them; `reason` says why a rule finds
    nobody. `by_hand` are the codes of those picked by name, `rule` one that draws can apply anew and `judged_on` the
    measure it looks at; `qualification` is the rule where it is one.
    """

    name: str = ""
    left_out_codes: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    applied: bool = False
    reason: str = ""
    by_hand: tuple[int, ...] = ()
    rule: ExclusionRule | None = None
    judged_on: str = ""
    qualification: QualificationRule | None = None

    @property
    def excludes(self) -> bool:
        return bool(self.left_out_codes)

    @property
    def who(self) -> str:
        """The excluded raters in a headline: the name of one, the number of several.

        >>> Scenario(names=("crowd 07",)).who, Scenario(names=("E",)).who, Scenario(names=("E", "F")).who
        ('crowd 07', 'rater E', '2 raters')
        """
        if len(self.names) != 1:
            return f"{len(self.names)} raters"
        (name,) = self.names
        return name if " " in name or name.casefold().startswith("rater") else f"rater {name}"
