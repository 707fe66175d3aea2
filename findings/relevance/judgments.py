"""The open study of relevance as arrays: who judged which document relevant, from which surrogate; cached."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.relevance.judgments import Judgments
from data.kinds.shared_columns import FULL_TEXT
from features.results import key_of, query, result
from features.study import Study

Codes = NDArray[np.int64]


def judgments(study: Study) -> Judgments:
    """All judgments of the study by the data set's codes, -1 for none, without raters that are left out."""

    def compute() -> Judgments:
        surrogates = np.arange(len(names(study, "surrogate")))
        return Judgments(**query(study.dataset, "judgments"), surrogates=surrogates)

    return result(key_of(study.dataset, "judgments"), compute)


def names(study: Study, column: str) -> NDArray[np.str_]:
    """The names that codes of "rater", "event", "document", "surrogate", "session", "presentation" or "order_label"
    stand for."""
    stood_for: NDArray[np.str_] = query(study.dataset, "judgment_names", column=column)["name"]
    return stood_for


def named(study: Study, column: str) -> NDArray[np.str_]:
    """The name of each judgment in such a column, "" for none."""
    of_each: NDArray[np.str_] = np.append(names(study, column), "")[getattr(judgments(study), column)]
    return of_each


def metrics(study: Study) -> tuple[str, ...]:
    """The numbers that are known of the surrogates, such as ROUGE-1."""
    return study.dataset.named("item number")


def metric_values(study: Study, metric: str) -> dict[str, NDArray[Any]]:
    """A metric where it is known: event, document, surrogate (codes) and value, one row per surrogate."""
    rows = query(study.dataset, "surrogate_numbers", column=metric)
    events, documents = names(study, "event"), names(study, "document")
    first = np.searchsorted(_event_of_document(study), np.arange(len(events)))
    event = np.searchsorted(events, rows["event"])
    ends = np.append(first[1:], len(documents))
    document = np.array(
        [
            first[at] + np.searchsorted(documents[first[at] : ends[at]], name)
            for at, name in zip(event.tolist(), rows["document"].tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    return {
        "event": event,
        "document": document,
        "surrogate": np.searchsorted(names(study, "surrogate"), rows["surrogate"]),
        "value": rows["value"],
    }


def usual_full_text(study: Study) -> int:
    """The code of the surrogate whose name says that it is the document itself; -1 where none says so."""
    surrogates = names(study, "surrogate").tolist()
    plain = ["".join(c for c in name.casefold() if c.isalnum()) for name in surrogates]
    return next((plain.index(word) for word in FULL_TEXT if word in plain), -1)


def _event_of_document(study: Study) -> Codes:
    """Each document's event; documents are in the order of events."""
    judged = judgments(study)
    event = np.zeros(len(names(study, "document")), dtype=np.int64)
    event[judged.document] = judged.event
    return event
