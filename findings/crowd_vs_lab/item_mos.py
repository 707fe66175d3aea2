"""Each item's MOS on both sides, as the pictures of one measure show it."""

from dataclasses import replace

import numpy as np

from analysis.comparison.comparison import Comparison, OrderAlone
from charts.crowd_vs_lab.items import MOST_NAMED, ItemMos
from features.item_sums import item_pairs
from features.results import query
from features.study import Study


def item_mos(study: Study, measure: str, compared: Comparison | OrderAlone) -> ItemMos:
    """What a picture of one measure shows; without the level where the order alone is known."""
    shared = item_pairs(study, measure).shared()
    named = len(shared.item) <= MOST_NAMED
    names = query(study.dataset, "item_names")["name"][np.asarray(shared.item)] if named else np.empty(0, str)
    shown = ItemMos(
        measure=measure,
        mos_candidate=shared.mos_candidate,
        mos_reference=shared.mos_reference,
        names=names,
        spearman=compared.spearman,
        codes=np.asarray(shared.item) if named else None,
    )
    if isinstance(compared, OrderAlone):
        return shown
    limits = compared.limit_low, compared.limit_high
    return replace(shown, mean_difference=compared.mean_difference, limits=limits)
