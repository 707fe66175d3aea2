"""Relevance: which summaries suffice to decide as readers of the document do, and whether raters agree."""

from functools import partial

from findings.relevance import agreement, both, judgments, kappa, kappas
from findings.relevance.rows import Rows, main_rows
from findings.study import Scenario, Study
from report.parts.asked import Asked
from report.parts.model import LOOK, Picture, Section, Table, given
from report.parts.without import what_changes


def sections(study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Agreement with gold and with the own full text, then kappa."""
    rows = main_rows(study, judgments.usual_full_text(study))
    return [_suffice(study, rows, scenario, asked), _agree(study, rows, asked)]


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
