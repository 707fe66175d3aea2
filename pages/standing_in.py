"""Standing in: may these ratings replace those? A crowd's mean, one rater, a metric or a model for a rater."""

import streamlit as st

from findings.code import standing_in as program
from findings.standing_in.candidates import nobody
from findings.standing_in.explanation import EXPLANATION
from findings.standing_in.standings import offered
from findings.standing_in.tables import CANDIDATES, FIRST, full_table, table
from panels.standing_in import corrected, several, verdicts
from panels.standing_in.prices import prices
from panels.standing_in.settings import settings
from ui.conclusions import show_code
from ui.stages import conclude
from ui.visit.study import study
from ui.words import say

opened = study().between_raters
finding = st.empty()
row = st.container(horizontal=True, vertical_alignment="bottom")
asked = settings(opened, row)
candidates = offered(opened, asked)
if not candidates:
    with finding:
        say(*nobody(asked))
    st.stop()
with row:
    priced = prices(candidates)
if (shown := verdicts.show(opened, asked, candidates, priced, finding)) is None:
    st.stop()
standings = shown
verdicts.show_remarks(opened, asked, standings)
verdicts.show_each_rater(opened, standings)
several.show(opened, asked, candidates, standings)
corrected.show(opened, asked, candidates, standings)
conclude(
    "standing-in",
    [],
    shown_above=[(table(standings), CANDIDATES)],
    first=FIRST,
    explanation=lambda: st.markdown(EXPLANATION),
    download=lambda: full_table(standings),
    figure=lambda: verdicts.figure_of(opened, standings),
)
show_code(lambda: program.code(opened, asked, candidates, standings))
