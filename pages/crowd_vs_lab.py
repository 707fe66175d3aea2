"""Groups compared: do the cheaper ratings order and level the items as the reference does?"""

import streamlit as st

from findings.code import groups_compared
from findings.crowd_vs_lab.agreement import (
    EXPLANATION,
    equality_finding,
    level_finding,
    no_reference,
    order_finding,
)
from findings.crowd_vs_lab.comparisons import best_known, comparisons, first_known
from findings.crowd_vs_lab.without_chance import ceiling_finding, spread_finding, systems_finding
from panels.crowd_vs_lab import all_groups, item_picture, kinds_of_raters, leaving_out, tables
from panels.crowd_vs_lab.settings import settings
from panels.crowd_vs_lab.tables import tell
from ui.conclusions import show_code, show_finding
from ui.stages import conclude
from ui.visit.study import study
from ui.words import say

opened = study()
if (nothing := no_reference(opened)) is not None:
    say(*nothing)
    st.stop()

groups = st.container()
finding, effect = st.empty(), st.empty()
chosen = settings(opened)
draw_intervals_of_all = all_groups.show(opened, chosen.spec, groups)
ordered = first_known(opened, chosen.spec)
with finding:
    show_finding(order_finding(opened, ordered))
with st.container():
    figure = item_picture.show(opened, chosen)
with effect:
    leaving_out.say_change(opened, chosen.spec, ordered)
more = st.empty()
at_hand = best_known(opened, chosen.spec)
with more.container():
    tell(opened, at_hand, systems_finding, ceiling_finding)
compared = comparisons(opened, chosen.spec)
if compared is None:
    st.stop()
with finding:
    show_finding(order_finding(opened, compared))
with more.container():
    tell(opened, compared, systems_finding, ceiling_finding, level_finding, spread_finding, equality_finding)
with st.container():
    table, taken, told = tables.show(opened, compared)
    leaving_out.show(opened, chosen.spec, compared)
kinds_of_raters.show(opened, chosen.spec)
draw_intervals_of_all()
conclude(
    "crowd-vs-lab",
    [],
    explanation=lambda: st.markdown(EXPLANATION),
    shown_above=taken,
    told_above=told,
    download=lambda: table,
    figure=figure,
)
show_code(lambda: groups_compared.code(opened, chosen.spec))
