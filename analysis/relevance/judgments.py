"""Judgments of relevance: who judged which document relevant from which surrogate, checked once, ids as codes."""

from dataclasses import dataclass, field
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values import ratings
from analysis.values.estimate import Codes, Floats, InputError
from analysis.values.ratings import numbers

_CLOSE = 4
"""Numbers per id up to which counting them all is quicker than sorting."""
_COLUMNS = ("rater", "event", "document", "surrogate", "judgment", "gold", "seconds", "session", "order",
            "order_label", "presentation")  # fmt: skip


class JudgmentCodes(NamedTuple):
    """Codes (N,) from 0 of raters, events and surrogates, and of documents over all events, in their order."""

    rater: Codes
    event: Codes
    document: Codes
    surrogate: Codes
    raters: int
    events: int
    documents: int


@dataclass(frozen=True, eq=False)
class Judgments:
    """N judgments of relevance, and what is known beside them.

    Parameters
    ----------
    rater, event, document : (N,) ids of any sortable kind; a document is its own within its event
    surrogate : (N,) ids of what was shown instead of the document, or of the full text
    judgment : (N,) 0 or 1
    gold : (N,) 0, 1, or NaN where not known
    seconds : (N,) NaN where not known
    session : (N,) ids of sittings, any one for none
    order : (N,) numbers that say which judgment came first; as given unless told
    order_label, presentation : (N,) names such as D1S2D2 and S2, "" for none; or codes, -1 for none
    surrogates : (k,) ids of all there are, in the order of results; those that occur, sorted, unless told

    Raises
    ------
    InputError
        where lengths differ, ids of several kinds cannot be sorted, or a value is not allowed.

    Notes
    -----
    Source: the design of Hobson, Dorr, Monz and Schwartz 2007, sections 3 and 4; methods, section 6.

    >>> Judgments([7, 8], ["e", "e"], [1, 2], ["h", "h"], [1, 0]).codes.document.tolist()
    [0, 1]
    """

    rater: NDArray[Any]
    event: NDArray[Any]
    document: NDArray[Any]
    surrogate: NDArray[Any]
    judgment: Floats
    gold: Floats
    seconds: Floats
    session: NDArray[Any]
    order: Floats
    order_label: NDArray[Any]
    presentation: NDArray[Any]
    surrogates: NDArray[Any]
    codes: JudgmentCodes = field(init=False, repr=False)

    def __init__(
        self,
        rater: ArrayLike,
        event: ArrayLike,
        document: ArrayLike,
        surrogate: ArrayLike,
        judgment: ArrayLike,
        gold: ArrayLike | None = None,
        seconds: ArrayLike | None = None,
        session: ArrayLike | None = None,
        order: ArrayLike | None = None,
        order_label: ArrayLike | None = None,
        presentation: ArrayLike | None = None,
        surrogates: ArrayLike | None = None,
    ) -> None:
        of_rater, raters = coded("rater", rater)
        n = len(of_rater)
        of_event, events = coded("event", event, n)
        of_document, documents = joint(of_event, coded("document", document, n)[0])
        of_surrogate, names = _named("surrogate", surrogate, n, surrogates)
        if session is not None:
            coded("session", session, n)
        unknown, nobody = np.full(n, np.nan), np.full(n, -1)
        given = {
            "rater": np.asarray(rater),
            "event": np.asarray(event),
            "document": np.asarray(document),
            "surrogate": np.asarray(surrogate),
            "judgment": yes_or_no("judgment", judgment, n),
            "gold": unknown if gold is None else yes_or_no("gold", gold, n, may_lack=True),
            "seconds": unknown if seconds is None else numbers_or_nan("seconds", seconds, n),
            "session": nobody if session is None else np.asarray(session),
            "order": np.arange(n, dtype=np.float64) if order is None else numbers_or_nan("order", order, n),
            "order_label": nobody if order_label is None else _column("order_label", order_label, n),
            "presentation": nobody if presentation is None else _column("presentation", presentation, n),
            "surrogates": names,
            "codes": JudgmentCodes(of_rater, of_event, of_document, of_surrogate, raters, events, documents),
        }
        for name, column in given.items():
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.judgment)

    def where(self, kept: NDArray[Any]) -> "Judgments":
        """Some of the judgments, by mask or places, of the same surrogates."""
        return Judgments(**{name: getattr(self, name)[kept] for name in _COLUMNS}, surrogates=self.surrogates)

    def place_of(self, surrogate: Any) -> int:
        """The code of a surrogate, -1 where it is none of them."""
        names = self.surrogates.tolist()
        return names.index(surrogate) if surrogate in names else -1

    def first_of_each(self, key: Codes) -> Codes:
        """The judgment that came first of each key (N,), ascending."""
        place = np.argsort(self.order, kind="stable")
        return place[np.unique(key[place], return_index=True)[1]]


def coded(name: str, values: ArrayLike, length: int | None = None) -> tuple[Codes, int]:
    """Ids as codes from 0 and how many there are."""
    array = np.asarray(values)
    if array.ndim != 1 or (length is not None and len(array) != length):
        told = "be 1-d" if length is None else f"have one id per judgment, {length}"
        raise InputError(f"`{name}` must {told}, got shape {array.shape}")
    try:
        return _ranked(array)
    except TypeError as error:
        raise InputError(f"`{name}` must hold ids of one kind, text or numbers: {error}") from error


def joint(*codes: Codes) -> tuple[Codes, int]:
    """One code for each combination that occurs, and how many do."""
    combined, many = codes[0], int(codes[0].max(initial=-1)) + 1
    for code in codes[1:]:
        combined, many = _ranked(combined * (int(code.max(initial=-1)) + 1) + code)
    return combined, many


def _ranked(ids: NDArray[Any]) -> tuple[Codes, int]:
    """Each id's place among the ids that occur, and how many do; without sorting where they are close."""
    if len(ids) and ids.dtype.kind in "iu" and int(ids.max()) - int(ids.min()) < _CLOSE * len(ids):
        above = ids.astype(np.int64) - int(ids.min())
        place = np.cumsum(np.bincount(above) > 0)
        return place[above] - 1, int(place[-1])
    distinct, code = np.unique(ids, return_inverse=True)
    return code.astype(np.int64), len(distinct)


def yes_or_no(name: str, values: ArrayLike, length: int, may_lack: bool = False) -> Floats:
    """Judgments, or a truth that may not be known."""
    array = numbers_or_nan(name, values, length)
    wrong = (array != 0) & (array != 1) & ~(np.isnan(array) & may_lack)
    if wrong.any():
        where = int(np.flatnonzero(wrong)[0])
        allowed = "0, 1 or NaN for not known" if may_lack else "0 or 1"
        raise InputError(f"`{name}` must be {allowed}, got {array[where]:g} at position {where}")
    return array


def numbers_or_nan(name: str, values: ArrayLike, length: int) -> Floats:
    """A column of numbers, NaN where not known."""
    array = ratings.numbers(name, values)
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one number per judgment, {length}, got shape {array.shape}")
    return array


def _named(name: str, ids: ArrayLike, length: int, names: ArrayLike | None) -> tuple[Codes, NDArray[Any]]:
    """Each id's place among the names, and the names; the ids that occur where no names are given."""
    code, _ = coded(name, ids, length)
    occurring = np.unique(np.asarray(ids))
    if names is None:
        return code, occurring
    known = np.asarray(names)
    place = {each: at for at, each in enumerate(known.tolist())}
    unknown = [each for each in occurring.tolist() if each not in place]
    if unknown:
        shown = ", ".join(f"{each!r}" for each in known.tolist()[:10])
        raise InputError(f"`{name}` must be one of {shown}, got {unknown[0]!r}")
    return np.array([place[each] for each in occurring.tolist()], dtype=np.int64)[code], known


def _column(name: str, values: ArrayLike, length: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (length,):
        raise InputError(f"`{name}` must have one id per judgment, {length}, got shape {array.shape}")
    return array


def own_full_text(judgments: Judgments, full_text: Any) -> Floats:
    """Return what each judgment's rater said of the full text of the same document.

    Parameters
    ----------
    judgments : N of them
    full_text : the surrogate that is the document itself

    Returns
    -------
    (N,)
        of the same session where there is one, else the first; NaN without any, and for the full text itself.

    Notes
    -----
    Of several in one session, the first.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.2; methods, section 6.

    >>> of = Judgments([1, 1, 1], [1, 1, 1], [1, 1, 2], ["h", "text", "h"], [0, 1, 0])
    >>> own_full_text(of, "text").tolist()
    [1.0, nan, nan]
    """
    codes = judgments.codes
    pair, _ = joint(codes.rater, codes.document)
    sitting, _ = joint(pair, coded("session", judgments.session)[0])
    whole = np.flatnonzero(codes.surrogate == judgments.place_of(full_text))
    whole = whole[np.argsort(judgments.order[whole], kind="stable")]
    in_session = _first(sitting, whole, judgments.judgment)
    own = np.where(np.isnan(in_session), _first(pair, whole, judgments.judgment), in_session)
    own[whole] = nan
    return own


def _first(key: Codes, whole: Codes, judged: Floats) -> Floats:
    """The judgment of the first of `whole` with the same key (N,)."""
    keys, place = np.unique(key[whole], return_index=True)
    of_key = np.full(int(key.max(initial=-1)) + 1, nan)
    of_key[keys] = judged[whole[place]]
    return of_key[key]


OUTCOMES = ("tp", "tn", "fp", "fn")
"""Judged relevant and so it is, judged not and so it is not, judged relevant but is not, judged not but is."""


@dataclass(frozen=True, eq=False)
class MetricTable:
    """A metric column: `event`, `document`, `surrogate` (M,) ids of texts and their `value` (M,), NaN where unknown."""

    event: ArrayLike
    document: ArrayLike
    surrogate: ArrayLike
    value: ArrayLike

    def without(self, surrogate: Any) -> "MetricTable":
        """The same less the texts of one surrogate, such as the full text."""
        kept = np.asarray(self.surrogate) != surrogate
        return MetricTable(**{name: np.asarray(column)[kept] for name, column in vars(self).items()})


@dataclass(frozen=True, eq=False)
class JudgedTexts:
    """t texts with a metric value and N judgments of them.

    `surrogates` (k,), `events` (e,), `raters` (r,) ids of all judgments, in ascending order; `surrogate`, `event`,
    `document` (t,) codes of the texts, ordered by event, document and surrogate, documents numbered through all
    `documents` of the study; `metric` (t,). `text`, `rater` (N,) codes of the judgments and `outcome` (N,), the place
    in `OUTCOMES`. `without_truth` and `without_metric` judgments were set aside, in this order; `unjudged` texts have
    a metric value but no judgment of known truth.
    """

    surrogates: NDArray[Any]
    events: NDArray[Any]
    raters: NDArray[Any]
    documents: int
    surrogate: Codes
    event: Codes
    document: Codes
    metric: Floats
    text: Codes
    rater: Codes
    outcome: Codes
    without_truth: int
    without_metric: int
    unjudged: int

    def of_others(self, surrogate: Any) -> "JudgedTexts":
        """The same less one surrogate, such as the full text."""
        named = [name != surrogate for name in self.surrogates.tolist()]
        if all(named):
            return self
        stays = np.array(named)[self.surrogate]
        kept = stays[self.text]
        return JudgedTexts(
            self.surrogates[named],
            self.events,
            self.raters,
            self.documents,
            (np.cumsum(named) - 1)[self.surrogate[stays]],
            self.event[stays],
            self.document[stays],
            self.metric[stays],
            (np.cumsum(stays) - 1)[self.text[kept]],
            self.rater[kept],
            self.outcome[kept],
            self.without_truth,
            self.without_metric,
            self.unjudged,
        )


def judged_texts(judgments: Judgments, truth: ArrayLike, metric: MetricTable) -> JudgedTexts:
    """Judgments and metric values brought together by event, document and surrogate.

    Parameters
    ----------
    judgments : N of them
    truth : (N,) 0, 1, or NaN where not known: gold, or the rater's own judgment of the full text
    metric : M texts with their values

    Raises
    ------
    InputError
        where lengths differ, truths are not 0 or 1, ids are of different kinds, or a text has two metric values.

    Notes
    -----
    Gold makes it LDC Agreement, the rater's own judgment of the full text Relevance Prediction.
    Source: Hobson, Dorr, Monz and Schwartz 2007, sections 4.3.3 and 5.3.3; methods, section 6.

    >>> table = MetricTable([1, 1], ["a", "b"], ["h", "h"], [0.2, float("nan")])
    >>> of = Judgments([1, 2, 1], [1, 1, 1], ["a", "a", "b"], ["h"] * 3, [1, 0, 1])
    >>> texts = judged_texts(of, [1, 1, 0], table)
    >>> texts.metric.tolist(), [OUTCOMES[outcome] for outcome in texts.outcome], texts.without_metric
    ([0.2], ['tp', 'fn'], 1)
    """
    length = len(judgments)
    judged, true = judgments.judgment, yes_or_no("truth", truth, length, may_lack=True)
    raters, of_rater = np.unique(judgments.rater, return_inverse=True)
    value = _values(metric)
    key, table = np.zeros(length, dtype=np.int64), np.zeros(len(value), dtype=np.int64)
    known = ~np.isnan(value)
    ids = []
    for name in ("event", "document", "surrogate"):
        names, code = np.unique(getattr(judgments, name), return_inverse=True)
        there = _placed(name, names, getattr(metric, name), len(value))
        key, table = key * len(names) + code, table * len(names) + np.maximum(there, 0)
        known &= there >= 0
        ids.append(names)
    events, documents, surrogates = ids
    known_keys, first = np.unique(table[known], return_index=True)
    if len(known_keys) < known.sum():
        raise InputError(
            "`metric` must have one value per event, document and surrogate; some texts have several: "
            "keep one row of each, or average them"
        )
    with_truth = ~np.isnan(true)
    kept = with_truth & np.isin(key, known_keys)
    texts, text = np.unique(key[kept], return_inverse=True)
    of_document, of_surrogate = np.divmod(texts, max(len(surrogates), 1))
    numbered = np.unique(key // max(len(surrogates), 1))
    wrong, judged_no = judged[kept] != true[kept], judged[kept] == 0
    return JudgedTexts(
        surrogates,
        events,
        raters,
        len(numbered),
        of_surrogate,
        of_document // max(len(documents), 1),
        np.searchsorted(numbered, of_document),
        value[known][first][np.searchsorted(known_keys, texts)],
        text,
        of_rater[kept],
        (2 * wrong + judged_no).astype(np.int64),
        int(length - with_truth.sum()),
        int(with_truth.sum() - kept.sum()),
        int((~np.isnan(value)).sum() - len(texts)),
    )


def _placed(name: str, ids: NDArray[Any], values: ArrayLike, length: int) -> Codes:
    """Place (M,) of each value among the ids, -1 where it is none of them."""
    array = _text_column(f"metric.{name}", values, length)
    if not len(ids) or not len(array):
        return np.full(len(array), -1)
    texts = [np.asarray(each).dtype.kind not in "biuf" for each in (ids, array)]
    if texts[0] != texts[1]:
        raise InputError(f"`{name}` and `metric.{name}` must hold ids of one kind, both text or both numbers")
    place = np.minimum(np.searchsorted(ids, array), len(ids) - 1)
    return np.where(ids[place] == array, place, -1)


def _values(metric: MetricTable) -> Floats:
    value = numbers("metric.value", metric.value)
    if np.isinf(value).any():
        raise InputError("`metric.value` must be finite, or NaN where it is not known")
    return value


def _text_column(name: str, values: ArrayLike, length: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != length:
        raise InputError(f"`{name}` must be 1-d with one entry per row, {length}, got shape {array.shape}")
    return array
