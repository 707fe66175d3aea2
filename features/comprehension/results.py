"""Answers of a comprehension test as cached arrays, the specs of the questions on them, and their results."""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comprehension.answer_levels import Levels
from analysis.comprehension.answer_shares import (
    Pairs,
    SharesByCode,
    Types,
    largest_types,
    shares_by_code,
    shares_by_pair,
    shares_by_story_type,
)
from analysis.comprehension.answers import Answers
from analysis.comprehension.author_differences import (
    AuthorDifferences,
    MachineLevel,
    author_differences,
    machine_levels,
)
from analysis.comprehension.judge_agreement import JudgeAgreement, judge_agreement
from analysis.comprehension.summary_length import LengthAndShares, Summaries, length_and_shares
from analysis.values.estimate import BootstrapSpec, Estimate, OnProgress
from features.blocks import Progress, last_stage, map_stages
from features.study import Study, interval_stages, key_of, query, result

MACHINE_WORDS = ("machine", "system", "automatic", "model", "computer")
"""Kinds of an author that is no person."""
MOST_TYPES = 12
"""Types of stories that are compared; of more, those with most stories."""
MOST_WITH_INTERVALS = 30
"""Authors up to which pairs have intervals."""
CLOSED = BootstrapSpec(draws=0)
AS_THEY_ARE, ADJUSTED = "Nothing", "Summary length"
"""Covariates that a test of summary authors adjusts for."""


@dataclass(frozen=True)
class AnswersSpec:
    """Answers that count, and how intervals are computed.

    `machines` are the authors that are no persons, None for those that the file names. Their summaries are part of the
    level that is looked at only `with_machines`.
    """

    machines: tuple[str, ...] | None = None
    with_machines: bool = False
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)


@dataclass(frozen=True)
class AuthorsSpec:
    """Share of each pair of authors, and the pair whose questions and answers are listed, of one story or of all ("").

    `share` is one of the answers R, P, I and N, "R+P" or "found".
    """

    answers: AnswersSpec = field(default_factory=AnswersSpec)
    share: str = "R+P"
    writer: str = ""
    asker: str = ""
    story: str = ""


@dataclass(frozen=True, eq=False)
class Shared:
    """Shares of all answers, and of those between people, with the authors' names and the codes of machines."""

    everyone: SharesByCode
    people: SharesByCode
    names: Sequence[str]
    writers: Sequence[int]
    askers: Sequence[int]
    machines: Collection[int]
    with_machines: bool = False
    types: Types | None = None
    type_names: Sequence[str] = ()
    types_present: int = 0
    differences: Mapping[str, AuthorDifferences] = field(default_factory=dict)
    """Test of whether summary authors differ, by what it adjusts for."""

    @property
    def shown(self) -> SharesByCode:
        """Shares of the level that is looked at."""
        return self.everyone if self.with_machines else self.people

    @property
    def roles(self) -> list[tuple[str, Levels, list[int]]]:
        """Role of authors, their shares, and the codes of those who have any."""
        roles = (
            ("summary author", self.everyone.by_summary_author, self.writers),
            ("question author", self.shown.by_question_author, self.askers),
        )
        return [(role, levels, [c for c in codes if c < len(levels)]) for role, levels, codes in roles]

    @property
    def figures(self) -> dict[str, object]:
        """Shares of all answers, of each author in both roles, and of each type of story."""
        word = {"summary author": "summaries", "question author": "questions"}
        found: dict[str, object] = {"all": self.shown.overall.of(0)}
        for role, levels, codes in self.roles:
            found |= {f"{word[role]} of {self.names[code]}": levels.of(code) for code in codes}
        if self.types is not None:
            called = self.type_names
            found |= {f"stories of type {name}": self.types.levels.of(at) for at, name in enumerate(called)}
            found |= {f"{called[a]} minus {called[b]}": of for (a, b), of in self.types.differences.items()}
        return {**found, "differences of authors": self.differences}


@dataclass(frozen=True, eq=False)
class AuthorPairs:
    """Shares of each pair of authors; the verdict is on those among people unless machines count."""

    pairs: Pairs
    names: Sequence[str]
    machines: Collection[int]
    with_machines: bool
    share: str

    @property
    def estimates(self) -> dict[tuple[str, str], Estimate]:
        """The chosen share of each pair that counts, by summary author and question author."""
        met = [at for at in range(len(self.pairs.levels)) if self.pairs.levels.questions[at]]
        people = [at for at in met if not {*divmod(at, self.pairs.authors)} & {*self.machines}]
        counted = met if self.with_machines or not people else people
        return {self.pair_of(at): self.pairs.levels.estimate(at, self.share) for at in counted}

    def pair_of(self, place: int) -> tuple[str, str]:
        """Return the names of the summary author and the question author of a cell."""
        writer, asker = divmod(place, self.pairs.authors)
        return self.names[writer], self.names[asker]

    @property
    def figures(self) -> dict[tuple[str, str], dict[str, Estimate]]:
        """All shares of each pair that met."""
        levels = self.pairs.levels
        return {self.pair_of(at): levels.of(at) for at in range(len(levels)) if levels.questions[at]}


@dataclass(frozen=True, eq=False)
class Lengths:
    """Length of summaries and what is found in them; `unknown` of `summaries` have no known length."""

    found: LengthAndShares
    names: Sequence[str]
    machines: Collection[int]
    unknown: int
    summaries: int

    @property
    def correlations(self) -> dict[str, Estimate]:
        return {"across authors": self.found.over_authors, "within stories": self.found.within}

    @property
    def figures(self) -> dict[str, object]:
        """Both correlations, and each author's lengths and share found."""
        found = self.found
        of_authors: dict[str, object] = {
            self.names[code]: {
                "summaries": found.summaries[code],
                "found": found.levels.estimate(code, "found"),
                **{
                    f"{what}{suffix}": getattr(getattr(found.table, what), part)[code]
                    for what in ("words", "characters", "characters_per_word", "questions")
                    for suffix, part in (("", "mean"), (" SD", "sd"))
                },
            }
            for code in found.authors.tolist()
        }
        return {**self.correlations, **of_authors}


@dataclass(frozen=True, eq=False)
class Judges:
    """Agreement of judges over all answers, and each judge's shares of those that count; `present` are their codes."""

    agreement: JudgeAgreement
    names: Sequence[str]
    present: Sequence[int]
    are_machines_out: bool

    @property
    def figures(self) -> dict[object, object]:
        """Alphas, pairs of judges, and each judge's shares."""
        names, levels = self.names, self.agreement.by_judge
        pairs: dict[object, object] = {
            (names[pair.first], names[pair.second]): pair for pair in self.agreement.pairs
        }
        shares: dict[object, object] = {names[at]: levels.of(at) for at in self.present if at < len(levels)}
        return {"alpha": self.agreement.alpha, **pairs, **shares}


@dataclass(frozen=True, eq=False)
class Machines:
    """Level of each machine compared with people's summaries on the same questions, by code."""

    levels: Mapping[int, MachineLevel]
    names: Sequence[str]

    @property
    def figures(self) -> dict[str, MachineLevel]:
        """Level of each machine by its name."""
        return {self.names[code]: level for code, level in self.levels.items()}

    @property
    def ratios(self) -> dict[str, Estimate]:
        """Share of the human level of each machine by its name."""
        return {name: level.ratio for name, level in self.figures.items()}


def read_answers(study: Study) -> Answers:
    """Return all answers, without those of excluded judges."""

    def compute() -> Answers:
        columns = query(study.dataset, "comprehension")
        there = {column.name: columns[column.name] for column in fields(Answers) if column.name in columns}
        return Answers(**there)

    return result(key_of(study.dataset, "answers"), compute)


def names(study: Study, column: str) -> list[str]:
    """Return the names of the codes of "story", "author" or "judge"."""
    found: list[str] = query(study.dataset, "comprehension_names", column=column)["name"].tolist()
    return found


def known_machines(study: Study) -> tuple[int, ...]:
    """Return the codes of the authors that are machines as the file says."""
    rows = query(study.dataset, "author_kinds")
    codes = np.searchsorted(names(study, "author"), rows["author"]).tolist()
    kinds = zip(codes, rows["kind"].tolist(), strict=True)
    return tuple(code for code, kind in kinds if kind.casefold() in MACHINE_WORDS)


def machines_of(study: Study, spec: AnswersSpec) -> tuple[int, ...]:
    if spec.machines is None:
        return known_machines(study)
    return tuple(code for code, name in enumerate(names(study, "author")) if name in spec.machines)


def read_summaries(study: Study) -> dict[str, Any]:
    """Return each summary once: story, author (codes), characters, words (NaN where not known), text."""
    rows = query(study.dataset, "summaries")
    codes = {column: np.searchsorted(names(study, column), rows[column]) for column in ("story", "author")}
    return {**rows, **codes}


def read_texts(study: Study, spec: AuthorsSpec) -> dict[str, NDArray[np.str_]]:
    """Return the questions and answers of the chosen pair in words, of one story or of all."""
    only = {"story": spec.story} if spec.story else {}
    pair = {"summary_author": spec.writer, "question_author": spec.asker}
    return query(study.dataset, "comprehension_texts", **pair, **only)


def lengths_are_known(study: Study) -> bool:
    return not bool(np.isnan(read_summaries(study)["characters"]).all())


def shares_stages(study: Study, spec: AnswersSpec) -> Iterator[Shared | Progress]:
    """Yield shares without intervals, unless these are cached; then with them, then types of stories."""
    found = yield from _overall_stages(study, spec)
    machines, types = (
        machines_of(study, spec),
        largest_types(query(study.dataset, "story_types")["type"], MOST_TYPES),
    )
    given = read_answers(study) if spec.with_machines else read_answers(study).without_machines(machines)
    if types.there < 2 or not len(given):
        return
    compute = partial(shares_by_story_type, given, types.of_story)
    named = {"type_names": types.names.tolist(), "types_present": types.there}
    yield from map_stages(
        interval_stages(
            study, "Intervals by type of story", compute, spec.bootstrap, machines, spec.with_machines
        ),
        lambda by_type: replace(found, types=by_type, **named),
    )


def _overall_stages(study: Study, spec: AnswersSpec) -> Generator[Shared | Progress, None, Shared]:
    """Yield shares without types of stories, first without intervals."""
    machines, given = machines_of(study, spec), read_answers(study)

    def compute(bootstrap: BootstrapSpec, on_progress: OnProgress | None = None) -> Shared:
        everyone = people = shares_by_code(given, bootstrap, on_progress)
        if machines:
            people = shares_by_code(given.without_machines(machines), bootstrap, on_progress)
        return Shared(everyone, people, names(study, "author"), given.writers, given.askers, machines)

    return (
        yield from map_stages(
            interval_stages(study, "Intervals", compute, spec.bootstrap, machines),
            lambda shared: replace(
                shared, with_machines=spec.with_machines, differences=_differences(study, spec)
            ),
        )
    )


def _differences(study: Study, spec: AnswersSpec) -> dict[str, AuthorDifferences]:
    """Return the tests of summary authors: of the answers as they are, and adjusted for length where it is known."""
    machines = () if spec.with_machines else machines_of(study, spec)

    def compute() -> dict[str, AuthorDifferences]:
        given = read_answers(study).without_machines(machines)
        found = {AS_THEY_ARE: author_differences(given)}
        if lengths_are_known(study):
            there = read_summaries(study)
            shape = len(names(study, "story")), len(names(study, "author"))
            characters = np.full(shape, np.nan)
            characters[there["story"], there["author"]] = there["characters"]
            lengths = characters[given.story, given.summary_author]
            found[ADJUSTED] = author_differences(given, lengths)
        return found

    return result(key_of(study.dataset, "differences of authors", machines), compute)


def shares_at_once(study: Study, spec: AnswersSpec) -> Shared:
    """Return shares without intervals, and without types of stories."""
    return last_stage(_overall_stages(study, replace(spec, bootstrap=CLOSED)))


def authors_stages(study: Study, spec: AuthorsSpec) -> Iterator[AuthorPairs | Progress]:
    """Yield pairs without intervals, unless these are cached; then with them, up to some number of authors."""
    author_names, machines = names(study, "author"), machines_of(study, spec.answers)
    bootstrap = spec.answers.bootstrap
    if len(author_names) > MOST_WITH_INTERVALS:
        bootstrap = replace(bootstrap, draws=0)
    stages = interval_stages(
        study, "Intervals of the pairs", partial(shares_by_pair, read_answers(study)), bootstrap
    )
    yield from map_stages(
        stages,
        lambda pairs: AuthorPairs(pairs, author_names, machines, spec.answers.with_machines, spec.share),
    )


def length_stages(study: Study, spec: AnswersSpec) -> Iterator[Lengths | Progress]:
    machines, author_names, there = machines_of(study, spec), names(study, "author"), read_summaries(study)
    story, author, words, characters = (there[name] for name in ("story", "author", "words", "characters"))
    summaries = Summaries(story, author, words, characters, len(author_names))
    compute = partial(length_and_shares, read_answers(study), summaries, machines)
    unknown = int(np.isnan(there["characters"]).sum())
    stages = interval_stages(study, "Intervals of length", compute, spec.bootstrap, machines)
    yield from map_stages(
        stages, lambda found: Lengths(found, author_names, machines, unknown, len(there["characters"]))
    )


def present_judges(study: Study) -> list[int]:
    """Return the codes of the judges who are named and not excluded."""
    return [int(code) for code in np.unique(read_answers(study).judge) if code >= 0]


def judges_stages(study: Study, spec: AnswersSpec) -> Iterator[Judges | Progress]:
    machines = () if spec.with_machines else machines_of(study, spec)

    def compute(bootstrap: BootstrapSpec, on_progress: OnProgress | None) -> JudgeAgreement:
        given = read_answers(study)
        agreement = judge_agreement(given, bootstrap, on_progress)
        if not machines:
            return agreement
        people = judge_agreement(given.without_machines(machines), bootstrap, on_progress)
        return replace(agreement, by_judge=people.by_judge)

    judge_names, present = names(study, "judge"), present_judges(study)

    def of_present(agreement: JudgeAgreement) -> Judges:
        pairs = tuple(pair for pair in agreement.pairs if {pair.first, pair.second} <= {*present})
        return Judges(replace(agreement, pairs=pairs), judge_names, present, bool(machines))

    stages = interval_stages(study, "Intervals of agreement", compute, spec.bootstrap, machines)
    yield from map_stages(stages, of_present)


def machines_stages(study: Study, spec: AnswersSpec) -> Iterator[Machines | Progress]:
    machines = machines_of(study, spec)
    compute = partial(machine_levels, read_answers(study), machines)
    stages = interval_stages(study, "Intervals of the machines", compute, spec.bootstrap, machines)
    yield from map_stages(stages, lambda levels: Machines(levels, names(study, "author")))
