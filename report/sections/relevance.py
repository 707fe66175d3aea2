"""Relevance: which summaries suffice to decide as readers of the document do, and whether raters agree."""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from analysis.relevance.metric_correlations import LEVELS, MEASURES, CorrelationSpec, Level
from features.plotting.numbers import count
from features.study import Scenario, Study
from features.tables import DASH
from features.words import plain
from findings.relevance import agreement, both, judgments, kappa, kappas
from findings.relevance.metrics import (
    ByLevel,
    correlation_table,
    finding_of,
    nothing_to_correlate,
    remarks,
    stars_note,
    table_in_full,
)
from findings.relevance.rows import Rows, correlated, main_rows, texts
from report.parts.asked import Asked
from report.parts.model import LOOK, Picture, Section, Table, given
from report.parts.without import what_changes
from report.sections.metrics import TITLE


def sections(study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Agreement with gold and with the own full text, kappa, and what metrics of the surrogates tell of either."""
    rows = main_rows(study, judgments.usual_full_text(study))
    made = []
    if asked.wants("relevance"):
        made += [_suffice(study, rows, scenario, asked), _agree(study, rows, asked)]
    if asked.wants("metrics") and nothing_to_correlate(rows.surrogates, judgments.metrics(study)) is None:
        made.append(_metrics(study, rows, asked))
    return made


def _suffice(study: Study, rows: Rows, scenario: Scenario, asked: Asked) -> Section:
    bootstrap, surrogates = asked.bootstrap(), rows.surrogates
    without, more = what_changes(study, scenario)
    sides = given(both.both_with_intervals(study, rows, bootstrap))
    figure = next(iter(agreement.FIGURES))
    pictures = [
        Picture(
            "relevance-agreement",
            ("{figure} of each surrogate, with 95 % intervals.", {"figure": figure}),
            lambda look: both.agreement_dots(surrogates, sides, figure, look),
        )
    ]
    speed = partial(both.speed_figure, surrogates, sides)
    if speed(LOOK) is not None:
        pictures.append(
            Picture(
                "speed", ("Seconds saved by each surrogate against the agreement that is lost.", {}), speed
            )
        )
    tables = [
        Table(
            "relevance-agreement",
            (
                "Agreement of each surrogate with gold and with the raters' own judgments of the full text.",
                {},
            ),
            agreement.agreement_table(surrogates, sides),
            ("Surrogate", "Held against", "Accuracy", "95 %", "Precision", "Recall", "F", "Kappa", "Seconds"),
        )
    ]
    if len(agreement.sides(sides)) > 1:
        tables.append(
            Table(
                "relevance-test",
                ("Relevance Prediction less LDC Agreement: paired t test over raters, by surrogate.", {}),
                agreement.difference_table(surrogates, sides),
                notes=agreement.without_test(surrogates, sides),
            )
        )
    return Section(
        "relevance",
        "Which summaries suffice",
        findings=[agreement.finding_of(surrogates, sides), *without],
        pictures=pictures,
        tables=[*tables, *more],
        warnings=agreement.remarks(surrogates, sides),
        notes=agreement.notes(sides, rows.apart),
        methods=[
            (
                "LDC Agreement holds a judgment against gold, Relevance Prediction against what the same rater said of "
                "the full text (Hobson, Dorr, Monz and Schwartz 2007). Intervals draw raters and, apart from that, "
                "events, {draws} times each, and add the variances (Cameron, Gelbach and Miller 2011); seed {seed}.",
                {"draws": bootstrap.draws, "seed": bootstrap.seed},
            )
        ],
        cited=["hobson2007", "cameron2011"],
    )


def _agree(study: Study, rows: Rows, asked: Asked) -> Section:
    surrogates = rows.surrogates
    found = given(kappas.kappas_with_intervals(study, rows, asked.bootstrap()))
    return Section(
        "kappa",
        "Whether raters agree",
        findings=[kappa.finding_of(surrogates, found.pairs)],
        pictures=[
            Picture(
                "kappa",
                ("Kappa of each surrogate, between raters and with what they are held against.", {}),
                lambda look: kappas.kappa_dots(surrogates, found, kappa.CHANCE, look),
            )
        ],
        tables=[
            Table(
                "kappa",
                ("Kappa in each form and agreement between raters, by surrogate.", {}),
                kappa.kappa_table(surrogates, found, kappa.CHANCE),
                (
                    "Surrogate",
                    *(one + more for one in kappa.KAPPAS for more in ("", ", 95 %")),
                    "Pairs of raters",
                ),
            )
        ],
        warnings=kappa.remarks(surrogates, found),
        notes=kappa.notes(found.pairs),
        methods=[
            (
                "Between raters: Cohen's kappa of every pair on the documents that both judged, the mean over pairs "
                "(Cohen 1960). With gold: the same formula with {chance} agreement by chance, as in Hobson et al. "
                "(2007).",
                {"chance": kappa.CHANCE},
            )
        ],
        cited=["cohen1960", "hobson2007"],
    )


def _metrics(study: Study, rows: Rows, asked: Asked) -> Section:
    """Each metric's correlations with how well people judge, held against what the page takes first."""
    (side, *_) = rows.surrogates.sides
    found: dict[str, ByLevel] = {
        metric: {
            level: given(correlated(study, rows, metric, side, _spec(rows, level, asked))) for level in LEVELS
        }
        for metric in judgments.metrics(study)
    }
    whole = _stacked({metric: correlation_table(of)[0] for metric, of in found.items()})
    full = {metric: table_in_full(of) for metric, of in found.items()}
    first, *_ = found
    every = [remarks(of, texts(study, rows, metric, side)) for metric, of in found.items()]
    return Section(
        "metrics",
        TITLE,
        findings=[finding_of(of, metric, side, MEASURES[0]) for metric, of in found.items()],
        tables=[
            Table(
                "metrics",
                ("Correlations of each metric with how well people judge ({side}).", {"side": side}),
                (whole, {}),
                [name for name in map(str, whole) if not name.endswith(", p") and any(whole[name] != DASH)],
                _stacked(full),
                [stars_note(found[first], "two-sided")],
            )
        ],
        warnings=list({plain(one): one for told in every for one in told}.values()),
        methods=[
            (
                "Each surrogate's mean of the metric against how well people judge from it (Hobson, Dorr, Monz and "
                "Schwartz 2007, Tables 4 to 6): over surrogates by Student's t, over surrogates in each event, and "
                "these less the event's mean, by permutations of whole surrogates (at most {most}, seed {seed}). The "
                "full text is left out: its length alone gives it a high metric.",
                {"most": count(CorrelationSpec().permutations), "seed": asked.seed},
            )
        ],
        cited=["hobson2007"],
    )


def _spec(rows: Rows, level: Level, asked: Asked) -> CorrelationSpec:
    return CorrelationSpec(level, full_text=rows.full_text, seed=asked.seed)


def _stacked(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The tables of all metrics below each other, each row with its metric."""
    whole = pd.concat([table.assign(Metric=metric) for metric, table in tables.items()], ignore_index=True)
    return whole[["Metric", *(name for name in whole if name != "Metric")]]
