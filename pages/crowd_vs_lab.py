"""Groups compared: do the ratings of one group order and level the items as the reference does?"""

from functools import partial

import streamlit as st

from features.comparison.controls import choose_pair_of_groups, choose_spec
from features.comparison.results import GroupsSpec
from features.comparison.section import EVERY_TWO, GROUPS, ITEMS, groups_section
from features.study import Study, query
from ui.controls import show_link_to_items, show_link_to_ratings
from ui.render import render_section
from ui.visit.filters import scenario
from ui.visit.study import study


def _offer_item(study: Study, code: int) -> None:
    show_link_to_ratings("item", str(query(study.dataset, "item_names")["name"][code]))


def _offer_row(study: Study, spec: GroupsSpec, row: int) -> None:
    show_link_to_items(study, spec.pair[0] if spec.pair else study.measures[row], study.candidate)


opened, finding = study(), st.container()
spec = choose_spec(opened) if opened.comparable else GroupsSpec()
render_section(
    "crowd-vs-lab",
    groups_section,
    opened,
    spec,
    scenario=scenario(),
    has_code=opened.comparable,
    finding=finding,
    clicked={EVERY_TWO: partial(choose_pair_of_groups, opened.groups)},
    chosen={ITEMS: partial(_offer_item, opened), GROUPS: partial(_offer_row, opened, spec)},
)
