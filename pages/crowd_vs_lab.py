"""Crowd vs lab: do the cheaper ratings order and level the items as the reference does?"""

import streamlit as st

from analysis.crowd_vs_lab.comparison import ComparisonSpec
from analysis.values.estimate import BootstrapSpec
from charts.crowd_vs_lab.items import differences, scatter
from charts.parts.panels import MOST
from charts.parts.theme import group_colour
from panels.crowd_vs_lab import comparisons, exclusion_effect
from panels.parts.controls import attribute_values, measures_on_show
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.store import query
from panels.parts.tables import show_table
from panels.parts.words import how_computed, note, say, warn
from panels.visit.study import study

opened = study()
if opened.reference is None and opened.reference_column is None:
    say(
        "There is nothing to compare {candidate} with. Choose another group or a numeric column as reference "
        "in the sidebar, or go on to <b>Repetitions</b>, which can hold ratings against their own other half.",
        candidate=opened.candidate,
    )
    st.stop()
if opened.reference == opened.candidate:
    say("Candidate and reference are both {group}. Choose another reference.", group=opened.candidate)
    st.stop()

finding, second, effect = st.empty(), st.empty(), st.empty()
with st.container(horizontal=True, vertical_alignment="bottom"):
    picture = st.segmented_control(
        "Picture",
        ["Scatter", "Differences"],
        default="Scatter",
        required=True,
        key="picture",
        bind="query-params",
        help="Scatter: do items keep their order? Differences (Bland-Altman): where on the scale do the "
        "groups part, and by how much?",
    )
    tail = st.selectbox(
        "A difference counts when the candidate",
        list(comparisons.TAILS.values()),
        key="tail",
        bind="query-params",
        width=260,
        help="The tail of the tests. Either way (two-sided) is right unless one direction was foretold.",
    )
    shown = measures_on_show(opened.measures, MOST)
    with st.popover("More"):
        draws = draws_control()
        permutations = st.number_input(
            "Permutations of raters",
            99,
            20_000,
            1999,
            100,
            key="permutations",
            bind="query-params",
            help="The smallest p possible is one in this many and one.",
        )
        seed = seed_control()

spec = ComparisonSpec(
    alternative=next(name for name, words in comparisons.TAILS.items() if words == tail),
    bootstrap=BootstrapSpec(draws=draws, seed=seed),
    permutations=int(permutations),
    raters_are_persons=opened.raters_are_persons,
)
known = [comparisons.best_known(opened, measure, spec) for measure in opened.measures]
with finding:
    template, values = comparisons.finding(opened, known)
    say(template, **values)

with effect:
    exclusion_effect.say_comparisons(opened, spec, known)

panels = [
    comparisons.panel(opened, measure, found)
    for measure, found in zip(opened.measures, known, strict=True)
    if measure in shown and found.items_shared
]
colour = group_colour(opened.candidate, opened.groups)
figure = (scatter if picture == "Scatter" else differences)(
    panels, opened.candidate, opened.reference_name, colour, look()
)
if panels:
    draw(
        st,
        figure,
        key="comparison",
        alt=f"{picture} of {opened.candidate} against {opened.reference_name}, one panel per measure",
    )
else:
    say("No item was rated on both sides. Choose another reference.")

found = comparisons.comparisons(opened, spec)
if found is None:
    st.stop()

with second:
    told = comparisons.difference_finding(opened, found)
    if told is not None:
        template, values = told
        say(template, **values)

table = comparisons.table(opened, found)
for shown_table, alt in (
    (comparisons.agreement_table(table), "Correlations and distance per measure"),
    (comparisons.level_table(table), "Difference of level and tests per measure"),
):
    show_table(*shown_table, alt=alt)
note(
    "Intervals: {how}. Test over raters: {test}. Mann-Whitney and Wilcoxon hold for these raters only.",
    how=found[0].interval_method,
    test=found[0].rater_test,
)
for template, values in comparisons.remarks(opened, found):
    warn(template, **values)
turned = comparisons.flips(opened, found)
if len(turned):
    st.subheader("Verdicts that hang on the choice of test")
    show_table(turned, {}, alt="Tests and tails that would turn the verdict")

exclusion_effect.show_comparisons(opened, spec, found)

attributes = query(opened.dataset, "rater_attributes")
if len(attributes["attribute"]):
    st.subheader("By kind of rater")
    subsets = attribute_values(attributes, opened.measures)
    if subsets is not None:
        measure, chosen = subsets
        by_value = comparisons.by_subset(opened, measure, spec, chosen)
        if by_value is not None:
            parts = comparisons.table(opened, by_value, [value for _, value in chosen])
            for shown_parts, written in (
                comparisons.agreement_table(parts),
                comparisons.level_table(parts),
            ):
                named = shown_parts.rename(columns={"Measure": chosen[0][0]})
                show_table(named, written, alt=f"Figures per kind of rater for {measure}")


def explanation() -> None:
    st.markdown(
        r"""
An item's **MOS** in a group is the mean of all its ratings there; only items known on both sides enter.

* **Spearman's ρ, Pearson's r, Kendall's τ-b**: do both sides order (or space) the items alike? The correlation
  meant is that between MOS of this many ratings per item: more ratings would raise it. Words follow Schober et
  al. 2018: from .90 very strong, .70 strong, .40 moderate, .10 weak.
* **RMSE, mean difference** (candidate − reference): how far apart are they on the scale? The dotted lines of
  *Differences* are the limits between which 95 % of items lie (Bland and Altman).
* **p (raters)** permutes whole raters between the groups: the difference of level against chance in who was
  asked. **Holm** adjusts for having asked several measures.
* **Mann-Whitney U** (the paper's test, U of the candidate) and the paired **Wilcoxon** treat items as the only
  chance there is: they hold for *these raters only* and call differences significant too easily.
* **Intervals** resample items and, within each group, raters (pigeonhole bootstrap); the draws are moved to the
  estimate and given the width of the two-way variance, since copies of ratings make every draw noisier than the
  data. Above 5 000 shared items they are analytic, with the raters' part in them too. An interval over items
  alone would be far too narrow. Those of the RMSE cover a little less than they say (91 to 94 % in simulations).

Source: Iskender, Polzehl and Möller 2020, sections 4 and 4.1, Table 1. The p values printed there are one-sided.
"""
    )


how_computed(explanation)
downloads("crowd-vs-lab", lambda: table, lambda: figure)
