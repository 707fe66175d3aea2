"""Items: on which raters disagree, which may be broken, and every rating of one item or by one rater."""

import streamlit as st

from findings.items.all_items import EXPLANATION
from panels.items import all_items, one
from panels.items.choose import choose
from ui.conclusions import how_computed
from ui.visit.study import study

opened = study()
with st.container(horizontal=True, vertical_alignment="bottom"):
    item, rater = choose(opened)
if item is not None:
    one.show_item(opened, item)
elif rater is not None:
    one.show_rater(opened, rater)
else:
    all_items.show(opened)
how_computed(lambda: st.markdown(EXPLANATION))
