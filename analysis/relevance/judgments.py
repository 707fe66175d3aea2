"""Judgments of the relevance of documents from surrogates, validated and encoded."""

from dataclasses import dataclass, field
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values import ratings
from analysis.values.estimate import Codes, Floats, InputError
from analysis.values.ratings import numbers

_DENSE_IDS = 4
"""Range of ids per id up to which counting is faster than sorting."""
_COLUMNS = ("rater", "event", "document", "surrogate", "judgment", "gold", "seconds", "session", "order",
            "order_label", "presentation")  # fmt: skip


class JudgmentCodes(NamedTuple):
    """Codes (N,) from 0 of raters, events and surrogates, and of documents across events, in ascending order."""

    rater: Codes
    event: Codes
    document: Codes
    surrogate: Codes
    raters: int
    events: int
    documents: int


@dataclass(frozen=True, eq=False)
class Judgments:
    """N judgments of relevance with their attributes.

    Parameters
    ----------
    rater, event, document : (N,) ids of any sortable kind; documents of different events are different
    surrogate : (N,) ids of what was shown instead of the document, or of the full text
    judgment : (N,) 0 or 1
    gold : (N,) 0, 1, or NaN where unknown
    seconds : (N,) NaN where unknown
    session : (N,) ids of sessions, one id if there are none
    order : (N,) numbers in the order of judging; row order by default
    order_label, presentation : (N,) names such as D1S2D2 and S2, "" for none; or codes, -1 for none
    surrogates : (k,) ids of all surrogates, in the order of results; by default those that occur, sorted

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
        of_rater, raters = encode_ids("rater", rater)
        n = len(of_rater)
        of_event, events = encode_ids("event", event, n)
        of_document, documents = encode_combinations(of_event, encode_ids("document", document, n)[0])
        of_surrogate, names = _encode_surrogates("surrogate", surrogate, n, surrogates)
        if session is not None:
            encode_ids("session", session, n)
        unknown, no_ids = np.full(n, np.nan), np.full(n, -1)
        columns = {
            "rater": np.asarray(rater),
            "event": np.asarray(event),
            "document": np.asarray(document),
            "surrogate": np.asarray(surrogate),
            "judgment": check_binary("judgment", judgment, n),
            "gold": unknown if gold is None else check_binary("gold", gold, n, may_lack=True),
            "seconds": unknown if seconds is None else check_numbers_or_nan("seconds", seconds, n),
            "session": no_ids if session is None else np.asarray(session),
            "order": np.arange(n, dtype=np.float64)
            if order is None
            else check_numbers_or_nan("order", order, n),
            "order_label": no_ids if order_label is None else _check_names("order_label", order_label, n),
            "presentation": no_ids if presentation is None else _check_names("presentation", presentation, n),
            "surrogates": names,
            "codes": JudgmentCodes(of_rater, of_event, of_document, of_surrogate, raters, events, documents),
        }
        for name, column in columns.items():
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.judgment)

    def where(self, rows: NDArray[Any]) -> "Judgments":
        """Return the judgments selected by mask or indices, with the same surrogates."""
        return Judgments(**{name: getattr(self, name)[rows] for name in _COLUMNS}, surrogates=self.surrogates)

    def surrogate_code(self, surrogate: Any) -> int:
        """Return the code of a surrogate, -1 if it does not occur."""
        names = self.surrogates.tolist()
        return names.index(surrogate) if surrogate in names else -1

    def first_of_each(self, key: Codes) -> Codes:
        """Return the index of the first judgment of each key (N,), in ascending order of keys."""
        place = np.argsort(self.order, kind="stable")
        return place[np.unique(key[place], return_index=True)[1]]


def encode_ids(name: str, values: ArrayLike, length: int | None = None) -> tuple[Codes, int]:
    """Return ids as codes from 0, and the number of codes."""
    array = np.asarray(values)
    if array.ndim != 1 or (length is not None and len(array) != length):
        told = "be 1-d" if length is None else f"have one id per judgment, {length}"
        raise InputError(f"`{name}` must {told}, got shape {array.shape}")
    try:
        return _encode(array)
    except TypeError as error:
        raise InputError(f"`{name}` must hold ids of one kind, text or numbers: {error}") from error


def encode_combinations(*codes: Codes) -> tuple[Codes, int]:
    """Return one code for each combination that occurs, and the number of codes."""
    combined, count = codes[0], int(codes[0].max(initial=-1)) + 1
    for code in codes[1:]:
        combined, count = _encode(combined * (int(code.max(initial=-1)) + 1) + code)
    return combined, count


def _encode(ids: NDArray[Any]) -> tuple[Codes, int]:
    """Return each id's rank among distinct ids, and their number, without sorting dense integers."""
    if len(ids) and ids.dtype.kind in "iu" and int(ids.max()) - int(ids.min()) < _DENSE_IDS * len(ids):
        offset = ids.astype(np.int64) - int(ids.min())
        rank = np.cumsum(np.bincount(offset) > 0)
        return rank[offset] - 1, int(rank[-1])
    distinct, code = np.unique(ids, return_inverse=True)
    return code.astype(np.int64), len(distinct)


def check_binary(name: str, values: ArrayLike, length: int, may_lack: bool = False) -> Floats:
    """Return judgments as 0 and 1, or as NaN where missing values are allowed."""
    array = check_numbers_or_nan(name, values, length)
    is_invalid = (array != 0) & (array != 1) & ~(np.isnan(array) & may_lack)
    if is_invalid.any():
        first_invalid = int(np.flatnonzero(is_invalid)[0])
        allowed = "0, 1 or NaN for not known" if may_lack else "0 or 1"
        raise InputError(
            f"`{name}` must be {allowed}, got {array[first_invalid]:g} at position {first_invalid}"
        )
    return array


def check_numbers_or_nan(name: str, values: ArrayLike, length: int) -> Floats:
    """Return a column of numbers, NaN where unknown."""
    array = ratings.numbers(name, values)
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one number per judgment, {length}, got shape {array.shape}")
    return array


def _encode_surrogates(
    name: str, ids: ArrayLike, length: int, names: ArrayLike | None
) -> tuple[Codes, NDArray[Any]]:
    """Return each id's index among the names, and the names, by default the distinct ids."""
    code, _ = encode_ids(name, ids, length)
    occurring = np.unique(np.asarray(ids))
    if names is None:
        return code, occurring
    surrogates = np.asarray(names)
    index = {surrogate: at for at, surrogate in enumerate(surrogates.tolist())}
    unknown = [surrogate for surrogate in occurring.tolist() if surrogate not in index]
    if unknown:
        shown = ", ".join(f"{surrogate!r}" for surrogate in surrogates.tolist()[:10])
        raise InputError(f"`{name}` must be one of {shown}, got {unknown[0]!r}")
    return np.array([index[surrogate] for surrogate in occurring.tolist()], dtype=np.int64)[code], surrogates


def _check_names(name: str, values: ArrayLike, length: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (length,):
        raise InputError(f"`{name}` must have one id per judgment, {length}, got shape {array.shape}")
    return array


def own_full_text(judgments: Judgments, full_text: Any) -> Floats:
    """Return the same rater's judgment of the full text of each judgment's document.

    Parameters
    ----------
    judgments : N of them
    full_text : the surrogate that is the document itself

    Returns
    -------
    (N,)
        from the same session if there is one, else the first; NaN without one, and for the full text itself.

    Notes
    -----
    Of several in one session, the first counts.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.2; methods, section 6.

    >>> judged = Judgments([1, 1, 1], [1, 1, 1], [1, 1, 2], ["h", "text", "h"], [0, 1, 0])
    >>> own_full_text(judged, "text").tolist()
    [1.0, nan, nan]
    """
    codes = judgments.codes
    pair, _ = encode_combinations(codes.rater, codes.document)
    session_pair, _ = encode_combinations(pair, encode_ids("session", judgments.session)[0])
    full_text_rows = np.flatnonzero(codes.surrogate == judgments.surrogate_code(full_text))
    full_text_rows = full_text_rows[np.argsort(judgments.order[full_text_rows], kind="stable")]
    in_session = _first_judgment_of_key(session_pair, full_text_rows, judgments.judgment)
    own_judgment = np.where(
        np.isnan(in_session), _first_judgment_of_key(pair, full_text_rows, judgments.judgment), in_session
    )
    own_judgment[full_text_rows] = nan
    return own_judgment


def _first_judgment_of_key(key: Codes, rows: Codes, judged: Floats) -> Floats:
    """Return the first judgment among `rows` with the same key (N,)."""
    keys, first = np.unique(key[rows], return_index=True)
    of_key = np.full(int(key.max(initial=-1)) + 1, nan)
    of_key[keys] = judged[rows[first]]
    return of_key[key]


OUTCOMES = ("tp", "tn", "fp", "fn")
"""True positive, true negative, false positive and false negative."""


@dataclass(frozen=True, eq=False)
class MetricTable:
    """A metric column: `event`, `document`, `surrogate` (M,) ids of texts and their `value` (M,), NaN where unknown."""

    event: ArrayLike
    document: ArrayLike
    surrogate: ArrayLike
    value: ArrayLike

    def without(self, surrogate: Any) -> "MetricTable":
        """Return the table without the texts of one surrogate, such as the full text."""
        is_kept = np.asarray(self.surrogate) != surrogate
        return MetricTable(**{name: np.asarray(column)[is_kept] for name, column in vars(self).items()})


@dataclass(frozen=True, eq=False)
class JudgedTexts:
    """t texts with a metric value and N judgments of them.

    `surrogates` (k,), `events` (e,), `raters` (r,) ids of all judgments, in ascending order; `surrogate`, `event`,
    `document` (t,) codes of the texts, sorted by event, document and surrogate, with documents numbered across all
    `documents` of the study; `metric` (t,). `text`, `rater` (N,) codes of the judgments and `outcome` (N,), the
    index in `OUTCOMES`. `without_truth` and `without_metric` count excluded judgments, in this order; `unjudged`
    counts texts with a metric value but no judgment of known truth.
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

    def exclude_surrogate(self, surrogate: Any) -> "JudgedTexts":
        """Return the texts without those of one surrogate, such as the full text."""
        keeps_surrogate = [name != surrogate for name in self.surrogates.tolist()]
        if all(keeps_surrogate):
            return self
        keeps_text = np.array(keeps_surrogate)[self.surrogate]
        keeps_judgment = keeps_text[self.text]
        return JudgedTexts(
            self.surrogates[keeps_surrogate],
            self.events,
            self.raters,
            self.documents,
            (np.cumsum(keeps_surrogate) - 1)[self.surrogate[keeps_text]],
            self.event[keeps_text],
            self.document[keeps_text],
            self.metric[keeps_text],
            (np.cumsum(keeps_text) - 1)[self.text[keeps_judgment]],
            self.rater[keeps_judgment],
            self.outcome[keeps_judgment],
            self.without_truth,
            self.without_metric,
            self.unjudged,
        )


def judged_texts(judgments: Judgments, truth: ArrayLike, metric: MetricTable) -> JudgedTexts:
    """Join judgments and metric values by event, document and surrogate.

    Parameters
    ----------
    judgments : N of them
    truth : (N,) 0, 1, or NaN where unknown: gold, or the rater's own judgment of the full text
    metric : M texts with their values

    Raises
    ------
    InputError
        where lengths differ, truths are not 0 or 1, ids are of different kinds, or a text has two metric values.

    Notes
    -----
    With gold as truth this is LDC Agreement, with the rater's own judgment of the full text Relevance Prediction.
    Source: Hobson, Dorr, Monz and Schwartz 2007, sections 4.3.3 and 5.3.3; methods, section 6.

    >>> table = MetricTable([1, 1], ["a", "b"], ["h", "h"], [0.2, float("nan")])
    >>> judged = Judgments([1, 2, 1], [1, 1, 1], ["a", "a", "b"], ["h"] * 3, [1, 0, 1])
    >>> texts = judged_texts(judged, [1, 1, 0], table)
    >>> texts.metric.tolist(), [OUTCOMES[outcome] for outcome in texts.outcome], texts.without_metric
    ([0.2], ['tp', 'fn'], 1)
    """
    length = len(judgments)
    judged, true = judgments.judgment, check_binary("truth", truth, length, may_lack=True)
    raters, of_rater = np.unique(judgments.rater, return_inverse=True)
    value = _check_metric_values(metric)
    key, table_key = np.zeros(length, dtype=np.int64), np.zeros(len(value), dtype=np.int64)
    is_defined = ~np.isnan(value)
    ids = []
    for name in ("event", "document", "surrogate"):
        names, code = np.unique(getattr(judgments, name), return_inverse=True)
        index = _find_indices(name, names, getattr(metric, name), len(value))
        key, table_key = key * len(names) + code, table_key * len(names) + np.maximum(index, 0)
        is_defined &= index >= 0
        ids.append(names)
    events, documents, surrogates = ids
    known_keys, first = np.unique(table_key[is_defined], return_index=True)
    if len(known_keys) < is_defined.sum():
        raise InputError(
            "`metric` must have one value per event, document and surrogate; some texts have several: "
            "keep one row of each, or average them"
        )
    has_truth = ~np.isnan(true)
    is_used = has_truth & np.isin(key, known_keys)
    texts, text = np.unique(key[is_used], return_inverse=True)
    text_document, text_surrogate = np.divmod(texts, max(len(surrogates), 1))
    document_numbers = np.unique(key // max(len(surrogates), 1))
    is_wrong, judged_no = judged[is_used] != true[is_used], judged[is_used] == 0
    return JudgedTexts(
        surrogates,
        events,
        raters,
        len(document_numbers),
        text_surrogate,
        text_document // max(len(documents), 1),
        np.searchsorted(document_numbers, text_document),
        value[is_defined][first][np.searchsorted(known_keys, texts)],
        text,
        of_rater[is_used],
        (2 * is_wrong + judged_no).astype(np.int64),
        int(length - has_truth.sum()),
        int(has_truth.sum() - is_used.sum()),
        int((~np.isnan(value)).sum() - len(texts)),
    )


def _find_indices(name: str, ids: NDArray[Any], values: ArrayLike, length: int) -> Codes:
    """Return the index (M,) of each value among the ids, -1 where it is absent."""
    array = _check_column(f"metric.{name}", values, length)
    if not len(ids) or not len(array):
        return np.full(len(array), -1)
    texts = [np.asarray(each).dtype.kind not in "biuf" for each in (ids, array)]
    if texts[0] != texts[1]:
        raise InputError(f"`{name}` and `metric.{name}` must hold ids of one kind, both text or both numbers")
    place = np.minimum(np.searchsorted(ids, array), len(ids) - 1)
    return np.where(ids[place] == array, place, -1)


def _check_metric_values(metric: MetricTable) -> Floats:
    value = numbers("metric.value", metric.value)
    if np.isinf(value).any():
        raise InputError("`metric.value` must be finite, or NaN where it is not known")
    return value


def _check_column(name: str, values: ArrayLike, length: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != length:
        raise InputError(f"`{name}` must be 1-d with one entry per row, {length}, got shape {array.shape}")
    return array
