"""Stages of long work as blocks, and tables from columns."""

from math import nan

import numpy as np
import pytest

from analysis.values.estimate import Estimate
from features.blocks import Heading, Note, Progress, Warning, block_key, in_stages, last_stage, method_of
from features.words import Column, cells, estimate_columns, table_of

STAGES = ["quick", Progress("Intervals"), "full"]


def test_each_stage_yields_its_blocks_and_the_last_is_returned() -> None:
    def section():
        last = yield from in_stages(STAGES, lambda stage: [Heading(stage), Note((stage, {}))])
        yield Heading(f"after {last}")

    kinds = [block.text if isinstance(block, Heading) else type(block) for block in section()]
    assert kinds == ["quick", Note, Progress, "full", Note, "after full"]
    assert last_stage(STAGES) == "full"
    assert last_stage([*STAGES, Progress("stopped")]) == "full"


def test_warnings_of_one_template_do_not_replace_each_other() -> None:
    first, second = (Warning(("{where}: {why}.", {"where": where, "why": "few"})) for where in "ab")
    assert block_key(first) != block_key(second)
    assert block_key(first) == block_key(Warning(first.text))
    assert block_key(Note(first.text)) == block_key(Note(second.text))


def test_a_table_has_its_columns_in_order_with_their_formats() -> None:
    estimates = [Estimate(0.5, 0.25, 0.75), Estimate(0.4, nan, 0.6), Estimate(0.1), Estimate(nan)]
    columns = [
        Column("System", ["a", "b", "c", "d"]),
        *estimate_columns("Chance", estimates, "{:.2f}".format),
        Column("Items", np.arange(4), "n = {}".format, at_first_sight=False),
    ]
    table = table_of("chances", "Chances.", columns, fold="Each chance")
    assert table.frame.columns.tolist() == ["System", "Chance", "Chance from", "Chance to", "Items"]
    assert table.columns_at_first_sight == ["System", "Chance"]
    assert (table.name, table.caption, table.fold) == ("chances", ("Chances.", {}), "Each chance")
    assert table.frame["Chance from"].tolist() == pytest.approx([0.25, nan, nan, nan], nan_ok=True)
    shown = {name: cells(table.frame[name], table.formats.get(name)) for name in table.frame}
    assert shown["Chance"] == ["0.50 (0.25 to 0.75)", "0.40 (below 0.60)", "0.10", "–"]
    assert shown["Chance to"] == ["0.75", "0.60", "–", "–"]
    assert shown["Items"] == ["n = 0", "n = 1", "n = 2", "n = 3"]


@pytest.mark.parametrize("question", ["classes", "known_answers", "pairs", "scale"])
def test_a_method_is_a_template_for_the_report_and_details_for_the_page(question: str) -> None:
    method = method_of("systems", question, ["x"], draws=1000, seed=7)
    assert method.text[0].format(**method.text[1]).endswith((".", ")."))
    assert "\n" not in method.text[0]
    assert method.details.startswith("**")
    assert "Sources:" in method.details
