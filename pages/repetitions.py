"""Repetitions: how many ratings (or choices) per item are enough, and what fewer would cost."""

import streamlit as st

from analysis.repetitions.aggregation import AGGREGATIONS
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.estimate import BootstrapSpec
from charts.parts.panels import MOST
from charts.parts.theme import group_colour
from charts.repetitions.curves import repetitions
from panels.parts.controls import measures_on_show
from panels.parts.downloads import downloads
from panels.parts.errors import told_in_words
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.tables import show_table
from panels.parts.words import how_computed, note, say, warn
from panels.repetitions import (
    aggregations,
    choice_curves,
    curves,
    exclusion_effect,
    knee_intervals,
    stopping,
    weighing,
)
from panels.visit.study import study

opened = study()
if opened.holds_choices:
    choice_curves.show(opened)
    st.stop()
if opened.reference == opened.candidate:
    say(
        "Candidate and reference are both {group}. Choose another reference, or split halves, in the sidebar.",
        group=opened.candidate,
    )
    st.stop()

CORRELATIONS = {"Spearman": "Spearman's ρ", "Pearson": "Pearson's r", "Kendall": "Kendall's τ-b"}
ORDERS = {
    "automatic": "automatic",
    "within each item": "within items",
    "raters, for all items at once": "raters",
    "by column (the paper's)": "by column",
}

SECTIONS = ["Cost", "Stopping rules", "More ratings", "Other aggregations", "Unreliable raters"]
TABLE = "Coefficients of the fitted curve, knee with its interval and R² per measure"

finding, effect = st.empty(), st.empty()
smallest, most = curves.range_of_repetitions(opened)
with st.container(horizontal=True, vertical_alignment="bottom"):
    shuffles = st.slider(
        "Shuffles",
        1,
        1000,
        curves.DEFAULT_SHUFFLES,
        key="shuffles",
        bind="query-params",
        help="Random orders of the ratings. Few show how much luck there is in one order (the paper used 5); "
        "many make the fitted curve steady.",
    )
    largest = smallest
    if most > 1:
        largest = st.slider(
            "Largest number of ratings per item",
            1,
            most,
            smallest,
            key="repetitions",
            bind="query-params",
            help="How far the curves run. Beyond an item's last rating it leaves the curve.",
        )
    correlation = st.selectbox(
        "Correlation", list(CORRELATIONS), key="correlation", bind="query-params", width=150
    )
    with st.popover("More"):
        aggregation = st.selectbox(
            "An item's value is the",
            AGGREGATIONS,
            key="aggregation",
            bind="query-params",
            help="How ratings become one value per item. Corrections for raters use only the ratings so far.",
        )
        order = st.selectbox(
            "A shuffle permutes",
            list(ORDERS),
            key="order",
            bind="query-params",
            help="Automatic permutes whole raters where everyone rated everything, else ratings within items.",
        )
        draws = draws_control(
            usual=100,
            label="Draws for the knee's interval",
            help="Each draw repeats the whole simulation on other items and raters.",
        )
        seed = seed_control()
        sensitivity = st.slider(
            "Sensitivity of the knee (S)",
            0.0,
            15.0,
            1.0,
            0.5,
            key="sensitivity",
            bind="query-params",
            help="Kneedle's S: a higher value wants a flatter curve after the knee.",
        )

spec = RepetitionSpec(
    shuffles=shuffles,
    repetitions=None if largest == smallest else largest,
    seed=seed,
    correlation=correlation.lower(),
    order=ORDERS[order],
    aggregation=aggregation,
)
with told_in_words():
    found = curves.fitted(opened, spec, sensitivity)
with finding:
    template, values = curves.finding(opened, found)
    say(template, **values)
with effect:
    exclusion_effect.say_curves(opened, spec, sensitivity, CORRELATIONS[correlation], found)
shown = measures_on_show(opened.measures, MOST)
colour = group_colour(opened.candidate, opened.groups)
figure = repetitions(curves.panels(found, shown), CORRELATIONS[correlation], colour, look())
draw(
    st,
    figure,
    key="curves",
    alt="Correlation against the number of ratings per item, one panel per measure, with fitted curve and knee",
)
let_it_be_drawn(curves.curves_key(opened, "picture", spec, sensitivity, tuple(shown)))

bootstrap = BootstrapSpec(draws=draws, seed=seed)
place = st.empty()
intervals = knee_intervals.known(opened, found, spec, sensitivity, bootstrap)
with place:
    show_table(knee_intervals.shown_table(found, intervals), knee_intervals.WRITTEN, alt=TABLE)
if intervals is None:
    intervals = knee_intervals.intervals(opened, found, spec, sensitivity, bootstrap)
    with place:
        show_table(knee_intervals.shown_table(found, intervals), knee_intervals.WRITTEN, alt=TABLE)
for template, values in [knee_intervals.how_drawn(opened, bootstrap)] if intervals else []:
    note(template, **values)
for template, values in curves.remarks(opened, found):
    warn(template, **values)
exclusion_effect.show_curves(opened, spec, sensitivity, CORRELATIONS[correlation], found)

section = st.segmented_control(
    "Look closer", SECTIONS, default=SECTIONS[0], required=True, key="section", bind="query-params"
)
if section == "Cost":
    weighing.show(opened, found)
elif section == "Stopping rules":
    stopping.show_rules(opened, found, spec, sensitivity, intervals)
elif section == "More ratings":
    stopping.show_models(opened, found, spec, sensitivity, intervals, CORRELATIONS[correlation])
elif section == "Other aggregations":
    aggregations.show_aggregations(opened, spec, weighing.usual(found), CORRELATIONS[correlation])
else:
    aggregations.show_unreliable(opened, spec)


def explanation() -> None:
    st.markdown(
        r"""
**Curves.** An item's value after *r* ratings is the mean (or another aggregation) of its first *r*; the curve is
the correlation over items of these values with the reference, for *r* = 1 … *m*. The measured order is the
`order` column's, else the time stamps', else the file's. A shuffle draws a fresh order without replacement:
within each item, or of whole raters where every rater rated every item. All curves of items with exactly *m*
ratings meet at *m*; the band of the shuffles shows luck of the order *given these ratings*, and shrinks to nothing
there by construction.

**Fit and knee.** $y = a\,(1 - e^{-b x}) + c$ by least squares through all points of all orders; R² is that of the one
curve for each order. The knee is where Kneedle (Satopää et al. 2011) finds it on the fitted curve at whole
numbers. With $N = m - 1$ it lies at $1 + \ln\big(bN / (1 - e^{-bN})\big) / b$: **it moves with m**, so it says when
*this* curve flattens, not how many ratings a study needs. No knee where $a \le 0$, $b(m - 1) < 3$ or $m \le 5$.

**Limit and rules.** The attenuation curve $\rho(r) = \rho_\infty \sqrt{r / (r + \lambda)}$ (classical test theory) has
a limit that does not move with *m*. On it rest the first *r* within a share of the limit, and the first where one
more rating gains less than asked for. Reliability is ICC(1,*r*) by Spearman-Brown from ICC(1,1), the width that of
Student's interval of an item's mean, and two systems are told apart by a two-sided test on their items' means.

**Intervals** draw items and, within each group, raters with replacement, shuffle and fit everything again, and
move the draws (on Fisher's scale) to the estimate, since copies of ratings lower every drawn curve.

**Split halves.** Without a reference, an item's last *h* ratings (half of them) stand for it. With $c$ Pearson's r
at *h*, $\rho_1 = c / (h - (h - 1) c)$ and $\rho_k = k \rho_1 / (1 + (k - 1) \rho_1)$; dotted beyond *h*:
$\sqrt{\rho_r \rho_h}$. This is repeatability, not validity.

Sources: Iskender, Polzehl and Möller 2020, section 4.2 and Table 2 (five shuffles by column, which orders were fitted
is not stated there; here all). Attenuation: Spearman 1904. Bias correction: ITU-T P.913, 12.4.
"""
    )


how_computed(explanation)
downloads("repetitions", lambda: knee_intervals.full_table(found, intervals), lambda: figure)
