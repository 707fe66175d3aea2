"""The items: on which raters disagree most, and which look broken."""

from itertools import product

import numpy as np
import pandas as pd

from features.blocks import Finding
from features.results import query
from features.study import Study
from features.tables import Shown
from features.verdicts import prefix, uncertain
from features.words import listed, of_many
from findings.items import all_items as findings
from findings.items.figures import all_items
from report.parts.asked import Asked
from report.parts.by_group import below_each_other
from report.parts.model import Section, Table, given
from report.parts.opening import of_each_group

TITLE = "The items"
MOST = 10
"""Items of a measure that are printed."""


def section(study: Study, asked: Asked) -> Section | None:
    """Per measure and group the items that stand out; None where nothing can be told of any."""
    told: list[Finding] = []
    shown: dict[tuple[str, str], Shown] = {}
    full: list[pd.DataFrame] = []
    studies = of_each_group(study, asked)
    clean: list[str] = []
    untold: list[Finding] = []
    for each, measure in product(studies, study.measures):
        found = given(all_items(each, measure))
        if not len(found.codes):
            continue
        names = query(each.dataset, "item_names")["name"][found.codes]
        where = f"{measure}, {each.candidate}" if len(studies) > 1 else measure
        out = found.disputed | found.looks_broken
        rows, written = findings.table(found, names, False)
        full.append(rows.assign(Measure=measure, Group=each.candidate))
        if not out.any():
            asked_of = ~(np.isnan(found.spread.p) & np.isnan(found.broken.p))
            if asked_of.any():
                clean.append(where)
            else:
                untold.append(findings.disagreement_finding(found.spread, names, where))
            continue
        standing_out = (
            *([findings.disagreement_finding(found.spread, names, measure)] if found.disputed.any() else []),
            *([findings.broken_finding(found, names)] if found.looks_broken.any() else []),
        )
        told += [prefix(one, "<b>{where}</b>: ", {"where": where}) for one in standing_out]
        rows, written = findings.table(found, names, False, out)
        short = {name: how if callable(how) else how[:MOST] for name, how in written.items()}
        shown[each.candidate, measure] = rows.head(MOST).reset_index(drop=True), short
    if not full:
        return None
    if clean:
        told.append(
            uncertain(
                "On {clean} no item stands out beyond chance.",
                {"clean": listed(clean, 12) if len(clean) < 12 else of_many(len(clean), "measures")},
            )
        )
    told += untold[:1] if len(untold) == len(full) else untold
    whole = pd.concat(full, ignore_index=True)
    tables = []
    if shown:
        several = len(studies) > 1
        heads = {
            key: {"Group": key[0], "Measure": key[1]} if several else {"Measure": key[1]} for key in shown
        }
        tables = [
            Table(
                "items",
                ("Items that stand out: raters disagree on them more than on the others, or they look broken.", {}),
                below_each_other(shown, heads),
                ("Group", "Measure", "Item", "Ratings", "MOS", findings.SD, "p of disagreement (Holm)", findings.R,
                 "p of r (Holm)"),
                full=whole,
            )
        ]  # fmt: skip
    return Section(
        "items",
        TITLE,
        findings=told,
        tables=tables,
        methods=[
            (
                "An item stands out where its ratings spread more than those within all other items (F, one-sided, "
                "with degrees of freedom as the kurtosis allows, Box 1953), or looks broken where those who elsewhere "
                "agree best with the others rate it otherwise than their other ratings foretell; p values are adjusted "
                "after Holm (1979) over the items.",
                {},
            )
        ],
        cited=["holm1979", "box1953"],
    )
