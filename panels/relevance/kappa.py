"""Do raters agree: with each other, and with gold or themselves beyond chance, for every surrogate."""

import streamlit as st

from features.plotting.figure import Figure
from features.plotting.series_dots import Series, series_dots
from features.study import Study
from findings.code import relevance as program
from findings.relevance.kappa import CHANCE, Kappas, finding_of, kappa_table, notes, remarks
from findings.relevance.kappas import kappa_dots, kappas_at_once, kappas_with_intervals
from findings.relevance.surrogates import Surrogates
from panels.relevance.controls import interval_controls
from panels.relevance.full_text import main_rows
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import conclude, show_stages


def show(study: Study) -> None:
    """Finding, chance as a control, kappas and shares side by side, the table (Table 2), remarks."""
    rows = main_rows(study)
    surrogates = rows.surrogates
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chance = st.number_input(
            "Agreement by chance (P_E)",
            0.0,
            0.99,
            CHANCE,
            0.05,
            key="chance",
            bind="query-params",
            width=220,
            help="For the paper's kappa, (P_A − P_E) / (1 − P_E), with P_A the accuracy against gold. With two answers "
            "the paper takes 0.5.",
        )
        bootstrap = interval_controls()
    of_kappa, of_pairs = (column.empty() for column in st.columns(2, gap="medium"))

    def draw_kappas(kappas: Kappas, stage: str) -> None:
        with finding:
            show_finding(finding_of(surrogates, kappas.pairs))
        figure = kappa_dots(surrogates, kappas, chance, look())
        draw(of_kappa, figure, key=f"kappa {stage}", alt="Kappa of each surrogate")
        draw(
            of_pairs,
            _alike(surrogates, kappas, figure["layout"]["height"]),
            key=f"alike {stage}",
            alt="Share of pairs of judgments of the same document that are alike, by surrogate",
        )

    kappas = show_stages(
        kappas_at_once(study, rows),
        draw_kappas,
        ("with intervals", lambda _: kappas_with_intervals(study, rows, bootstrap)),
    )
    conclude(
        "kappa",
        [
            (
                kappa_table(surrogates, kappas, chance),
                "Kappa in each form and agreement between raters, by surrogate",
            )
        ],
        notes=notes(kappas.pairs),
        remarks=remarks(surrogates, kappas),
        figure=lambda: kappa_dots(surrogates, kappas, chance, look()),
    )
    show_code(lambda: program.kappa(study, bootstrap, rows.full_text, chance))


def _alike(surrogates: Surrogates, kappas: Kappas, height: int) -> Figure:
    shares = [kappas.pairs.surrogates[at].agreement for at in surrogates.there]
    return series_dots(
        [surrogates.names[at] for at in surrogates.there],
        [Series("alike", shares)],
        "Pairs of judgments that are alike",
        look(),
        height=height,
    )


EXPLANATION = r"""
**Between raters.** Cohen's kappa of every pair of raters on the documents that both judged from a surrogate,
$\kappa = (P_A - P_E) / (1 - P_E)$, with $P_E$ from how often each of the two says *relevant*; the mean over pairs.
**Pairs of judgments alike** (the paper's between-participant agreement): the share of pairs of judgments of the same
document by two raters that are equal.

**With gold.** The paper's kappa: the same formula with $P_A$ the accuracy against gold and a chosen
$P_E$, .5 in the paper. It is a stretched accuracy and knows nothing of how often raters say *relevant*.

**With own full text.** Cohen's kappa of a rater's judgments of the surrogate with the same rater's judgments of the
full text, averaged over raters. It stands beside Relevance Prediction, which is 100 % for a rater who always says *no*.

1 is full agreement, 0 what chance gives. A pair, or a rater, with one answer throughout has no kappa and is counted.

**Intervals** draw raters, and apart from that events, and add the variances; copies of a rater in a draw are no pair.
With 4 raters those of pairs of judgments alike are wider than they say: they held in 98 to 99 of 100 simulated studies.

Sources: Cohen 1960; Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2; Cameron, Gelbach and
Miller 2011.
"""
