"""Where results of a study are computed: pages shelve them for all visitors, a report without a browser for itself.

Whatever needs a data set or takes long goes through these functions, so that a page and a report compute the same in
the same way. Who shows results says once at which bench they are made: pages `install` theirs, a command works `at` its
own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from data.dataset import Dataset
from data.store.store import Store
from findings.study import Study

T = TypeVar("T")
OnProgress = Callable[[float], object]
"""What long work calls between blocks with the share done."""
LARGEST_BOOTSTRAP = 5000
"""Items above which intervals are analytic and curves rest on a sample of items (methods: section 0)."""


class Bench(Protocol):
    """What makes and keeps results."""

    def store(self) -> Store:
        """Where the data sets are."""

    def result(self, key: str, compute: Callable[[], T]) -> T:
        """A quick result: kept, or computed now."""

    def long_result(self, key: str, label: str, compute: Callable[[Callable[..., None]], T]) -> T | None:
        """A slow result, whose progress is told; None where it was stopped."""

    def kept(self, key: str) -> Any | None:
        """A result if it is already there."""


_pages: list[Bench] = []
_mine: ContextVar[Bench] = ContextVar("bench")


def install(bench: Bench) -> None:
    """Has this process compute at a bench wherever nobody works at one of his own."""
    _pages[:] = [bench]


@contextmanager
def at(bench: Bench) -> Iterator[None]:
    """Has what is asked for within compute at this bench."""
    before = _mine.set(bench)
    try:
        yield
    finally:
        _mine.reset(before)


def _bench() -> Bench:
    return _mine.get(None) or _pages[0]


def key_of(dataset: Dataset, what: str, *parts: object) -> str:
    """The key of one result: content hash, what the view leaves out and keeps, name and spec."""
    view = (dataset.without, dataset.only)
    of_view = sha256(repr(view).encode("utf-8", "surrogatepass")).hexdigest() if any(view) else ""
    return "\x1f".join([dataset.sha256, of_view, what, *(repr(part) for part in parts)])


def result(key: str, compute: Callable[[], T]) -> T:
    """A quick result: kept, or computed now."""
    return _bench().result(key, compute)


def long_result(key: str, label: str, compute: Callable[[Callable[..., None]], T]) -> T | None:
    """A slow result; None while it is stopped.

    `compute` gets a callback to call between blocks with the share done (0 to 1), and what is being done.
    """
    return _bench().long_result(key, label, compute)


def shelved(key: str) -> Any | None:
    """A result if it is already there."""
    return _bench().kept(key)


def part(on_progress: Callable[[float], object], at: int, of: int) -> OnProgress:
    """Progress of the `at`-th of so many equal parts, told as progress of the whole."""
    return lambda done: on_progress((at + done) / of)


def read(dataset: Dataset, name: str, **params: Any) -> dict[str, Any]:
    """One of the store's named queries, for what is kept itself."""
    return _bench().store().query(dataset, name, **params)


def read_report(dataset: Dataset) -> dict[str, Any] | None:
    """The import report of a data set (see `data.store.kept_reports`); None where none was kept."""
    return _bench().store().report(dataset.id)


def query(dataset: Dataset, name: str, **params: Any) -> dict[str, Any]:
    """One of the store's named queries, kept by content."""
    return result(
        key_of(dataset, f"query {name}", sorted(params.items())),
        lambda: read(dataset, name, **params),
    )


def ratings(dataset: Dataset, measure: str, group: str, **selection: Any) -> Ratings:
    """One group's ratings of one measure, in order; `selection` as for the query of that name."""

    def compute() -> Ratings:
        rows = read(dataset, "ratings", measure=measure, group=group, **selection)
        return Ratings(rows["item"], rows["rater"], rows["score"], rows["order"])

    return result(key_of(dataset, "ratings", measure, group, sorted(selection.items())), compute)


def in_any_order(dataset: Dataset, measure: str, group: str) -> Ratings:
    """The same where no figure asks for their order: of a large data set read in half the time."""
    if not dataset.has_sums:
        return ratings(dataset, measure, group)

    def compute() -> Ratings:
        rows = read(dataset, "scores", measure=measure, group=group)
        return Ratings(rows["item"], rows["rater"], rows["score"])

    return result(key_of(dataset, "ratings in any order", measure, group), compute)


def with_intervals(
    study: Study,
    label: str,
    compute: Callable[[BootstrapSpec, OnProgress | None], T],
    bootstrap: BootstrapSpec,
    *parts: object,
) -> T | None:
    """Figures with intervals; None while stopped, or where no intervals are asked for.

    `parts` is all that the figures depend on but the data set; `label` names them and their progress.
    """
    if not bootstrap.draws:
        return None
    return long_result(key_of(study.dataset, label, *parts, bootstrap), label, partial(compute, bootstrap))


def with_intervals_if_kept(study: Study, label: str, bootstrap: BootstrapSpec, *parts: object) -> Any | None:
    """What `with_intervals` gives, if it is already there."""
    return shelved(key_of(study.dataset, label, *parts, bootstrap)) if bootstrap.draws else None


def at_once(
    study: Study, label: str, compute: Callable[[BootstrapSpec, OnProgress | None], T], *parts: object
) -> T:
    """The figures of `with_intervals` without intervals."""
    closed = BootstrapSpec(draws=0)
    return result(key_of(study.dataset, label, *parts, closed), lambda: compute(closed, None))


def import_report(dataset: Dataset) -> dict[str, Any] | None:
    """What was said of a data set when it was imported; None where nothing was kept."""
    return _bench().store().report(dataset.id)
