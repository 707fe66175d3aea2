"""The open study: its data set, what was chosen of it, which raters are excluded, and its results.

Results are computed once for a content hash and a frozen spec. Pages, reports and programs compute through these
functions, in the current `Session`. By default that reads this process's own store, nobody sees progress, and nothing
interrupts.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from math import nan
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import ExclusionRule
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings
from data.dataset import Dataset, Merge
from data.errors import listed
from data.kinds.likely_names import is_model
from data.samples import SAMPLES
from data.store.shared import SHARED_STORE
from data.store.store import Store
from features import cache
from features.blocks import Progress
from features.cache import ResultCache, Stopped, WorkQueue, work_queue
from features.plotting.theme import NumberFormat, decimal, score_digits

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
        return self.whole.kind == "rankings"

    @property
    def holds_label_sets(self) -> bool:
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


S = TypeVar("S")
T = TypeVar("T")
OnProgress = Callable[[float], object]
"""Called by long work between blocks with the share that is done (0 to 1)."""
LARGEST_BOOTSTRAP = 5000
"""Items above which intervals are analytic and curves rest on a sample of items (methods: section 0)."""


@contextmanager
def ignore_progress(key: str, label: str) -> Iterator[Callable[[float, str], object]]:
    """Ignore the progress of long work."""
    yield lambda done, words: None


def never_interrupt() -> None:
    """Go on."""


@dataclass(frozen=True)
class Session:
    """Context in which the computations of one run work.

    `store` holds the data sets and `results` the results, this process's own where None. `show_progress` is entered for
    each long result with its key and label, and yields a callback for the share that is done; what that raises ends the
    work, and after `Stopped` the result is None. `check_interrupt` is called while a quick result is waited for.
    """

    store: Store | None = None
    show_progress: Callable[[str, str], AbstractContextManager[Callable[[float, str], object]]] = (
        ignore_progress
    )
    check_interrupt: Callable[[], object] = never_interrupt
    results: ResultCache | None = None

    def open_store(self) -> Store:
        return SHARED_STORE.get() if self.store is None else self.store

    def cache(self) -> ResultCache:
        return cache.CACHE if self.results is None else self.results


_current: ContextVar[Session] = ContextVar("session", default=Session())  # noqa: B039 - it is frozen


@contextmanager
def use_session(session: Session) -> Iterator[None]:
    """Compute within this session what is asked for inside the `with` block."""
    before = _current.set(session)
    try:
        yield
    finally:
        _current.reset(before)


def key_of(dataset: Dataset, what: str, *parts: object) -> str:
    """Return the key of one result: content hash, what the view excludes, keeps and merges, name and spec."""
    view = (dataset.without, dataset.only, dataset.merged)
    of_view = sha256(repr(view).encode("utf-8", "surrogatepass")).hexdigest() if any(view) else ""
    return "\x1f".join([dataset.sha256, of_view, what, *(repr(part) for part in parts)])


def result(key: str, compute: Callable[[], T]) -> T:
    """Return a quick result: cached, or computed now, once for all who ask at the same time."""
    session = _current.get()
    return session.cache().compute(key, lambda _: compute(), lambda *_: session.check_interrupt())


def long_result(
    key: str,
    label: str,
    compute: Callable[[Callable[..., None]], T],
    queue: Callable[[], WorkQueue] | None = None,
    owner: str = "",
) -> T | None:
    """Return a slow result; None while it is stopped.

    `compute` gets a callback for the share done (0 to 1) and what is being done. It waits in the queue, `work_queue` by
    default, and for the result where another thread computes it.
    """
    session = _current.get()
    try:
        with session.show_progress(key, label) as on_progress:
            return session.cache().compute(key, compute, on_progress, label, (queue or work_queue)(), owner)
    except Stopped:
        return None


def cached(key: str) -> Any | None:
    """Return a result if it is already there."""
    return _current.get().cache().get(key)


def put_result(key: str, result: Any) -> None:
    """Put a result that was computed with others into the cache."""
    _current.get().cache().put(key, result)


def report_part(on_progress: Callable[[float], object], at: int, of: int) -> OnProgress:
    """Return a callback that reports progress of the `at`-th of so many equal parts as progress of the whole."""
    return lambda done: on_progress((at + done) / of)


def long_results(
    key: str, label: str, items: Sequence[S], compute: Callable[[S, OnProgress], T]
) -> tuple[T, ...] | None:
    """Return a slow result of each item, with the progress of all; None while stopped."""

    def each(on_progress: OnProgress) -> Iterator[T]:
        for at, one in enumerate(items):
            yield compute(one, report_part(on_progress, at, len(items)))
            on_progress((at + 1) / len(items))

    return long_result(key, label, lambda on_progress: tuple(each(on_progress)))


def read(dataset: Dataset, name: str, **params: Any) -> dict[str, Any]:
    """Return one of the store's named queries, for results that are cached themselves."""
    return _current.get().open_store().query(dataset, name, **params)


def read_report(dataset: Dataset) -> dict[str, Any] | None:
    """Return the import report of a data set (see `data.store.catalogue`); None where none was kept."""
    return _current.get().open_store().report(dataset.id)


def query(dataset: Dataset, name: str, **params: Any) -> dict[str, Any]:
    """Return one of the store's named queries, cached by content."""
    return result(
        key_of(dataset, f"query {name}", sorted(params.items())),
        lambda: read(dataset, name, **params),
    )


def score_ends(study: Study, measure: str) -> tuple[float, float]:
    """Return the lowest and the highest score that the candidate gave on a measure, NaN without ratings."""
    return _ends_by_group(study.whole, measure).get(study.candidate, (nan, nan))


def _ends_by_group(dataset: Dataset, measure: str) -> dict[str, tuple[float, float]]:
    found = query(dataset, "score_ranges", measure=measure)
    ends = zip(found["low"].tolist(), found["high"].tolist(), strict=True)
    return dict(zip(found["group"].tolist(), ends, strict=True))


USUAL_DIGITS = 2
"""Decimals of means on a scale that is not known."""


def digits_of_scores(study: Study, measure: str, group: str | None = None) -> int:
    """Return the decimals of means of a measure by a group, by default the candidate, from the ratings as saved.

    The scale is that of all groups; a group whose scores span less than a quarter of it has another scale.
    """
    if study.whole.kind != "ratings":
        return USUAL_DIGITS
    ends = _ends_by_group(study.whole.as_saved, measure)
    if not ends:
        return USUAL_DIGITS
    lows, highs = zip(*ends.values(), strict=True)
    every = max(highs) - min(lows)
    low, high = ends.get(study.candidate if group is None else group, (min(lows), max(highs)))
    length = high - low if 0 < high - low < every / 4 else every
    return score_digits(length) if length > 0 else USUAL_DIGITS


def digits_of_column(study: Study, column: str) -> int:
    """Return the decimals of a numeric column of the items, from the values as saved."""
    values = query(study.whole.as_saved, "item_numbers", column=column)["value"]
    length = np.ptp(values) if len(values) else 0.0
    return score_digits(float(length)) if length > 0 else USUAL_DIGITS


def score_writer(study: Study, measure: str, group: str | None = None) -> NumberFormat:
    """Return how means of a measure are written."""
    return partial(decimal, digits=digits_of_scores(study, measure, group))


def difference_writer(study: Study, measure: str, group: str | None = None) -> NumberFormat:
    """Return how tables write differences of means of a measure: with a digit more."""
    return partial(decimal, digits=digits_of_scores(study, measure, group) + 1)


def merge_of(dataset: Dataset, merge: Merge) -> Merge | None:
    """Return how a study merges the repeats of its raters; None where nobody repeats, or rater ids are slots."""
    if dataset.kind not in ("ratings", "choices") or not dataset.raters_are_persons:
        return None
    saved = dataset.as_saved

    def find() -> bool:
        report = read_report(saved) or {}
        return not report.get("unrepeated") and bool(read(saved, "has_repeats")["found"][0])

    return merge if result(key_of(saved, "repeats"), find) else None


def ratings(dataset: Dataset, measure: str, group: str, **selection: Any) -> Ratings:
    """Return one group's ratings of one measure, in order; `selection` as for the query of that name."""

    def compute() -> Ratings:
        rows = read(dataset, "ratings", measure=measure, group=group, **selection)
        return Ratings(rows["item"], rows["rater"], rows["score"], rows["order"])

    return result(key_of(dataset, "ratings", measure, group, sorted(selection.items())), compute)


def unordered_ratings(dataset: Dataset, measure: str, group: str) -> Ratings:
    """Return the ratings in any order, which reads a large data set in half the time."""

    def compute() -> Ratings:
        rows = read(dataset, "scores", measure=measure, group=group)
        return Ratings(rows["item"], rows["rater"], rows["score"])

    return result(key_of(dataset, "ratings in any order", measure, group), compute)


def interval_stages(
    study: Study,
    label: str,
    compute: Callable[[BootstrapSpec, OnProgress | None], T],
    bootstrap: BootstrapSpec,
    *parts: object,
) -> Iterator[T | Progress]:
    """Yield figures with their intervals where these are cached, else first without them; `parts` complete the key."""
    closed = BootstrapSpec(draws=0)
    drawn_key, closed_key = (key_of(study.dataset, label, *parts, one) for one in (bootstrap, closed))
    if bootstrap.draws and (kept := cached(drawn_key)) is not None:
        yield kept
        return
    without: T = result(closed_key, lambda: compute(closed, None))
    yield without
    if bootstrap.draws:
        yield Progress(label)
        drawn = long_result(drawn_key, label, partial(compute, bootstrap))
        yield without if drawn is None else drawn


NO_REFERENCE = "none"


def open_study(
    dataset: Dataset,
    *,
    key: str = "",
    candidate: str | None = None,
    reference: str | None = None,
    measures: Sequence[str] = (),
    merge: Merge = "mean",
) -> Study:
    """Return the study of a data set, or of a view that filters rows or excludes raters.

    Parameters
    ----------
    dataset : saved data set, or a view of it (`Dataset.keeping`, `Dataset.leaving_out`)
    key : reader's key, or the key of a sample
    candidate : group whose ratings are looked at; by default the first that is no laboratory
    reference : a group, a numeric column of the items, or "none" for split halves; by default the laboratory
    measures : measures to look at, all by default
    merge : value that stands for a rater's repeats of an item in figures that compare raters

    Raises
    ------
    InputError
        where the data set does not have what is asked for.
    """
    whole = replace(dataset, without=())
    if dataset.kind != "ratings":
        groups = _groups(dataset) if dataset.kind in WITH_GROUPS else ()
        merged = merge_of(dataset, merge)
        return Study(key, whole, dataset, groups, candidate=candidate or ALL_GROUPS, merge=merged)
    groups, available_measures = (
        _groups(whole),
        tuple(dict.fromkeys(query(whole, "cells")["measure"].tolist())),
    )
    columns = [column.name for column in dataset.columns if column.role == "item number"]
    references = [*groups, *columns, NO_REFERENCE]
    candidate_at, reference_at = usual_roles(groups)
    check_known("measures", measures, available_measures)
    check_known("reference", [] if reference is None else [reference], references)
    check_known("candidate", [] if candidate is None else [candidate], groups)
    reference = references[reference_at] if reference is None else reference
    return Study(
        key=key,
        whole=whole,
        dataset=dataset,
        groups=groups,
        all_measures=available_measures,
        candidate=groups[candidate_at] if candidate is None else candidate,
        reference=reference if reference in groups else None,
        reference_column=reference if reference in columns and reference not in groups else None,
        measures=tuple(measure for measure in available_measures if not measures or measure in measures),
        merge=merge_of(dataset, merge),
    )


def check_known(what: str, chosen: Sequence[str], available: Sequence[str]) -> None:
    """Raise `InputError` where the data set lacks one of the names asked for."""
    lacking = [name for name in chosen if name not in available]
    if lacking:
        raise InputError(
            f"`{what}`: the data set has no {lacking[0]!r}; it has {listed(list(available)[:20]) or 'none'}"
        )


def _groups(dataset: Dataset) -> tuple[str, ...]:
    return tuple(dict.fromkeys(query(dataset, "cells")["group"].tolist()))


CHECK_QUESTIONS = "check questions"
"""Known ratings that are no group's."""


def known_ratings(study: Study) -> list[str]:
    """Return with whose ratings a rater's can be compared: check questions, other groups, and the reference column."""
    has_checks = study.whole.has("check", "expected")
    others = [group for group in study.groups if group != study.candidate]
    usual = [study.reference] if study.reference in others else []
    column = [study.reference_column] if study.reference_column is not None else []
    return list(dict.fromkeys([*([CHECK_QUESTIONS] if has_checks else []), *usual, *others, *column]))


def combine_exclusions(study: Study, picked: Sequence[str], ruled: Scenario) -> Scenario:
    """Combine raters picked by name with those that a rule finds."""
    by_name = np.flatnonzero(np.isin(_names(study), list(picked))).tolist() if picked else []
    codes = sorted({*by_name, *ruled.left_out_codes})
    parts = [ruled.name] if ruled.name else []
    if picked:
        parts.append("picked by hand" if not parts else f"{len(picked)} picked by hand")
    return replace(
        ruled,
        name=" and ".join(parts),
        left_out_codes=tuple(codes),
        names=tuple(_names(study)[codes].tolist()),
        by_hand=tuple(by_name),
    )


def models_among(study: Study) -> NDArray[np.int64]:
    """Return the codes of raters that are models by their names, next to others of the same group."""
    if study.whole.rater_column is None or len(study.groups) > 1 or not study.raters_are_persons:
        return np.empty(0, dtype=np.int64)

    def find() -> NDArray[np.int64]:
        are_models = np.asarray([is_model(name) for name in _names(study).tolist()], dtype=bool)
        return np.flatnonzero(are_models & ~are_models.all())

    return result(key_of(study.whole, "models among raters"), find)


def _names(study: Study) -> NDArray[np.str_]:
    names: NDArray[np.str_] = query(study.whole, "rater_names")["name"]
    return names
