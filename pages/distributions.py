"""Distributions: where the ratings lie on the scale, group beside group."""

import streamlit as st

from charts.distributions.histograms import histograms
from charts.parts.numbers import count, decimal, p_value
from charts.parts.panels import MOST
from panels.distributions import describe
from panels.parts.controls import measures_on_show
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import how_computed, say, warn
from panels.visit.study import study

opened = study()

described = describe.descriptions(opened)
template, values = describe.finding(opened, described)
say(template, **values)

with st.container(horizontal=True, vertical_alignment="bottom"):
    what = st.segmented_control(
        "Show",
        ["Item MOS", "Single ratings"],
        default="Item MOS",
        required=True,
        key="show",
        bind="query-params",
        help="The mean of each item's ratings, or every rating by itself. Single ratings spread wider.",
    )
    shown = measures_on_show(opened.measures, MOST)

figure = histograms(
    [(measure, describe.bars(opened, measure, what)) for measure in shown],
    opened.groups,
    look(),
    "items" if what == "Item MOS" else "ratings",
)
draw(st, figure, key="histograms", alt=f"Histograms of {what} per measure and group")

table = describe.table(described)
show_table(
    table,
    dict.fromkeys(("Items", "Ratings", "Raters"), count)
    | dict.fromkeys(("Median", "Mean", "SD", "Skewness"), decimal)
    | {"Normality A²": decimal, "p": p_value},
    alt="Size, centre, spread and shape of each group's MOS per measure",
)
for template, values in describe.remarks(described):
    warn(template, **values)


def explanation() -> None:
    st.markdown(
        """
An item's **MOS** (mean opinion score) in a group is the mean of all its ratings there. Median, mean, SD
(with n − 1) and skewness (adjusted Fisher-Pearson G1: negative means a tail towards low values) describe the
items' MOS, not single ratings. Shares in the picture add up to 100 % within a group.

**Normality** is the Anderson-Darling test with estimated mean and SD; A² is its statistic and p the chance of
one at least as large if the MOS came from a normal curve. With fewer than 8 items it is undefined, and with
thousands of items every real distribution fails it.

Sources: Iskender, Polzehl and Möller 2020, section 4.1 and Figure 2; D'Agostino and Stephens 1986.
Rows with a `check` (trap and gold questions) never enter.
"""
    )


how_computed(explanation)
downloads("distributions", lambda: table, lambda: figure)
