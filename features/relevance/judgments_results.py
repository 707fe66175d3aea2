"""Judgments of a study of relevance as cached arrays, its surrogates, and the metrics of their texts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.relevance.judgments import JudgedTexts, Judgments, MetricTable, judged_texts, own_full_text
from data.kinds.shared_columns import FULL_TEXT
from features.results import key_of, query, result
from features.study import Study

LDC, PREDICTION = "LDC Agreement", "Relevance Prediction"
"""Agreement of judgments with gold, and with the same rater's judgments of the full text."""


@dataclass(frozen=True)
class Surrogates:
    """Names of surrogates by code, and the truths that are known for them.

    `full_text` is the code of the document itself, -1 for none; `summaries` are the codes of all others that occur.
    `is_predicted` says whether any rater judged both a summary and the full text of a document.
    """

    names: tuple[str, ...]
    full_text: int
    summaries: tuple[int, ...]
    has_full_text: bool
    has_gold: bool
    has_seconds: bool
    is_predicted: bool

    @property
    def full_text_name(self) -> str:
        """Name of the document itself."""
        return self.names[self.full_text] if self.full_text >= 0 else "the full text"

    @property
    def present(self) -> tuple[int, ...]:
        """Codes of all that occur, the full text last."""
        return (*self.summaries, self.full_text) if self.has_full_text else self.summaries

    @property
    def sides(self) -> list[str]:
        """Agreements that are defined: with the rater's own judgment of the full text first, then with gold."""
        known = {PREDICTION: self.is_predicted, LDC: self.has_gold}
        return [name for name, is_known in known.items() if is_known]

    def names_of(self, codes: tuple[int, ...] | list[int]) -> list[str]:
        """Return the names of these surrogates."""
        return [self.names[code] for code in codes]


@dataclass(frozen=True, eq=False)
class MainStudy:
    """Judgments without an order label, wherever there are such; `with_label` counts the others."""

    judged: Judgments
    with_label: int
    surrogates: Surrogates
    events: tuple[str, ...]

    @property
    def full_text(self) -> int:
        """Code of the surrogate that is the document itself, -1 for none."""
        return self.surrogates.full_text

    def truth(self, side: str) -> NDArray[np.float64]:
        """Return gold, or each rater's own judgment of the full text of the document."""
        return self.judged.gold if side == LDC else own_full_text(self.judged, self.full_text)


def read_judgments(study: Study) -> Judgments:
    """Return all judgments by the data set's codes, -1 for none, without those of excluded raters."""

    def compute() -> Judgments:
        surrogates = np.arange(len(names(study, "surrogate")))
        return Judgments(**query(study.dataset, "judgments"), surrogates=surrogates)

    return result(key_of(study.dataset, "judgments"), compute)


def names(study: Study, column: str) -> NDArray[np.str_]:
    """Return the names of the codes in a column such as "event", "document" or "surrogate"."""
    found: NDArray[np.str_] = query(study.dataset, "judgment_names", column=column)["name"]
    return found


def metrics(study: Study) -> tuple[str, ...]:
    """Return the names of the metrics of the surrogates, such as ROUGE-1."""
    return study.dataset.named("item number")


def find_full_text(study: Study) -> str:
    """Return the surrogate whose name says that it is the document itself, "" for none."""
    by_plain_name: dict[str, str] = {}
    for name in names(study, "surrogate").tolist():
        by_plain_name.setdefault("".join(c for c in name.casefold() if c.isalnum()), name)
    return next((by_plain_name[word] for word in FULL_TEXT if word in by_plain_name), "")


def main_study(study: Study, full_text: str | None = None) -> MainStudy:
    """Return the judgments of the main analyses; `full_text` is "" for none, None for the one whose name says so."""
    called = tuple(names(study, "surrogate").tolist())
    wanted = find_full_text(study) if full_text is None else full_text
    code = called.index(wanted) if wanted in called else -1

    def compute() -> MainStudy:
        of_all = read_judgments(study)
        labelled = of_all.order_label >= 0
        judged = of_all if labelled.all() else of_all.where(~labelled)
        codes = np.unique(judged.surrogate).tolist()
        own = own_full_text(judged, code) if code in codes else np.full(len(judged), np.nan)
        surrogates = Surrogates(
            called,
            code,
            tuple(one for one in codes if one != code),
            has_full_text=code in codes,
            has_gold=bool((~np.isnan(judged.gold)).any()),
            has_seconds=bool((~np.isnan(judged.seconds)).any()),
            is_predicted=bool((~np.isnan(own)).any()),
        )
        events = tuple(names(study, "event").tolist())
        return MainStudy(judged, len(of_all) - len(judged), surrogates, events)

    return result(key_of(study.dataset, "main study of relevance", code), compute)


def metric_table(study: Study, metric: str) -> MetricTable:
    """Return a metric where it is known, one value per event, document and surrogate."""

    def compute() -> MetricTable:
        rows = query(study.dataset, "surrogate_numbers", column=metric)
        event = np.searchsorted(names(study, "event"), rows["event"])
        judged = read_judgments(study.unfiltered)
        event_of = dict(zip(judged.document.tolist(), judged.event.tolist(), strict=True))
        pairs = ((event_of.get(at), name) for at, name in enumerate(names(study, "document").tolist()))
        codes = {pair: code for code, pair in enumerate(pairs)}
        of_rows = zip(event.tolist(), rows["document"].tolist(), strict=True)
        document = np.array([codes[pair] for pair in of_rows], dtype=np.int64)
        surrogate = np.searchsorted(names(study, "surrogate"), rows["surrogate"])
        return MetricTable(event, document, surrogate, rows["value"])

    return result(key_of(study.dataset, "metric", metric), compute)


def texts_of(study: Study, main: MainStudy, metric: str, side: str) -> JudgedTexts:
    """Return a metric of the texts with the judgments of them, without the full text where that is the truth."""

    def compute() -> JudgedTexts:
        left_out = main.full_text if side == PREDICTION else -1
        kept = main.judged.surrogate != left_out
        table = metric_table(study, metric).without(left_out)
        return judged_texts(main.judged.where(kept), main.truth(side)[kept], table)

    return result(key_of(study.dataset, "judged texts", main.full_text, metric, side), compute)
