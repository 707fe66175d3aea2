"""Tables for a paper: what a page shows, and inert in every format whatever the names in it."""

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.plotting.theme import count, decimal, p_value
from features.printing import csv_bytes, in_latex, latex, markdown, pasteable
from features.words import Printed, cell, printed

HOSTILE = [
    "=1+1",
    "<script>x</script>",
    "50% & more",
    "a_b^2~{c}",
    "\\input{/etc/passwd}",
    "$x$ #1 | y",
    "]](x)",
]
ROWS = pd.DataFrame(
    {
        "System": HOSTILE,
        "ρ": [0.63, -0.2, float("nan"), 1.0, 0.5, 0.25, 0.125],
        "p": [0.0004, 0.034, float("nan"), 1.0, 0.5, 0.25, 0.125],
        "Items": [21600, 8, 1, 3, 4, 5, 6],
        "Why": ["", "", "one item only", "", "", "", ""],
    }
)
SHOWN = (
    ROWS,
    {"ρ": ["0.63 (0.51 to 0.72)", *(decimal(one) for one in ROWS["ρ"][1:])], "p": p_value, "Items": count},
)
SIGNS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
TEX = next((found for name in ("tectonic", "pdflatex") if (found := shutil.which(name))), None)


def test_what_is_printed_is_what_the_page_shows_in_its_order_with_the_reason_of_a_dash_below() -> None:
    table = printed(SHOWN, ["System", "ρ", "p", "Items"], [("From <b>{n}</b> draws.", {"n": 50})])
    assert table.heads == ("System", "ρ", "p", "Items")
    assert table.rows[0] == ("=1+1", "0.63 (0.51 to 0.72)", "< .001", "21,600")
    assert table.rows[1] == ("<script>x</script>", "−0.20", ".034", "8")
    assert table.rows[2] == ("50% & more", "–¹", "–¹", "1")
    assert table.notes == ("¹ one item only", "From 50 draws.")
    assert printed(SHOWN).heads == ("System", "ρ", "p", "Items", "Why")
    assert printed(SHOWN).notes == ()
    assert printed(SHOWN, ["Items", "not there", "System"]).rows[1] == ("8", "<script>x</script>")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (pd.NA, "–"),
        (pd.NaT, "–"),
        (False, "no"),
        (7, "7"),
        (0.25, "0.250"),
        ("", ""),
        (-2.0, "−2"),
    ],
)
def test_a_cell_without_a_way_to_write_it(value: object, text: str) -> None:
    assert cell(value) == text


def test_names_stay_names_in_csv_and_markdown() -> None:
    table = printed(SHOWN, ["System", "p"])
    rows = list(csv.reader(io.StringIO(csv_bytes(table).decode("utf-8-sig"), newline="")))
    assert rows[0] == ["System", "p"]
    assert [row[0] for row in rows[1:8]] == ["'=1+1", *HOSTILE[1:]]
    assert rows[8:] == []  # the table only: its notes are in the other formats
    assert rows[3][1] == "–"
    assert [line.split("\t")[0] for line in pasteable(table).split("\n")][1:3] == ["'=1+1", HOSTILE[1]]

    lines = markdown(table, "a|b").split("\n")
    assert lines[0] == r"**a\|b**"
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in lines[2:11])
    assert r"\<script\>" in lines[5]


@given(st.text(max_size=40))
def test_no_text_runs_in_latex(text: str) -> None:
    """Nothing but our own commands is left that TeX would run."""
    out = in_latex(text)
    ours = r"\\text\w+\{\}|\\[{}%$#_&]|\\(ldots|enspace)\{\}|\\,|\$[^$]*\$|\{\}|~"
    assert not re.search(r"[\\{}%$#_&^]", re.sub(ours, "", out))
    assert not re.match(r"\s*[\[*]", out)
    assert out.count("\n") == 0


def test_a_latex_table_is_one_for_booktabs() -> None:
    text = latex(printed(SHOWN, ["System", "ρ", "Items"]), "Agreement of 7 systems, 50% left", "tab:a b_c")
    assert r"\caption{Agreement of 7 systems, 50\% left}" in text
    assert r"\label{tab:a-b-c}" in text
    assert r"\begin{tabular}{lrr}" in text
    body = text[text.index(r"\toprule") : text.index(r"\end{tabular}")].splitlines()
    rows = [line for line in body if line.endswith(r" \\")]
    assert len(rows) == 8
    assert all(len(re.findall(r"(?<!\\)&", row)) == 2 for row in rows)
    assert r"=1+1 & 0.63 (0.51 to 0.72) & 21,600 \\" in rows
    assert r"{\footnotesize $^{1}$ one item only\par}" in text


@pytest.mark.skipif(TEX is None, reason="no TeX here")
def test_a_latex_table_compiles(tmp_path: Path) -> None:
    table = latex(
        printed(SHOWN, ["System", "ρ", "p", "Items"], ["² ≤ α–β … “x” ∞ ½ €"]), "[7] systems", "tab:x"
    )
    page = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{table}\end{{document}}"
    (tmp_path / "table.tex").write_text(page, encoding="utf-8")
    quiet = (
        ["-interaction=nonstopmode", "-halt-on-error", "-draftmode"] if TEX and TEX.endswith("latex") else []
    )
    ran = subprocess.run([str(TEX), *quiet, "table.tex"], cwd=tmp_path, capture_output=True, timeout=120)
    assert ran.returncode == 0, ran.stdout[-2000:]


@pytest.mark.parametrize(
    ("columns", "environment", "scaled"), [(3, "table", False), (5, "table*", False), (12, "table*", True)]
)
def test_a_table_too_wide_for_a_column_takes_both_and_is_scaled_where_it_must(
    columns: int, environment: str, scaled: bool, tmp_path: Path
) -> None:
    heads = ("Measure", *(f"Figure {at}" for at in range(columns - 1)))
    wide = Printed(heads, (("clarity", *["0.63 (0.51)"] * (columns - 1)),) * 3, ("² ≤ α–β",))
    table = latex(wide, "All figures")
    assert rf"\begin{{{environment}}}" in table
    assert (r"\resizebox{\textwidth}{!}{\begin{tabular}" in table) is scaled
    assert ("graphicx" in table) is scaled
    assert all(table.count(f"& {head} ") == 1 for head in heads[1:3])
    if TEX is None or not TEX.endswith("latex"):
        return
    page = (
        r"\documentclass[twocolumn]{article}\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}\setlength{\textwidth}{455pt}"
        r"\setlength{\columnsep}{17pt}\begin{document}"
        rf"{table}\end{{document}}"
    )
    (tmp_path / "table.tex").write_text(page, encoding="utf-8")
    asked = [TEX, "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "table.tex"]
    ran = subprocess.run(asked, cwd=tmp_path, capture_output=True, timeout=120)
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert b"Overfull" not in ran.stdout


@pytest.mark.parametrize("columns", [3, 8])
def test_a_table_longer_than_a_page_goes_on_over_several(columns: int, tmp_path: Path) -> None:
    heads = ("Rater", *(f"Figure {at}" for at in range(columns - 1)))
    long = Printed(
        heads, tuple((f"r{at}_", *["0.63 (0.51)"] * (columns - 1)) for at in range(130)), ("² ≤ α–β",)
    )
    table = latex(long, "All raters & more", "tab:raters")
    assert table.count(r"\begin{longtable}") == 1
    assert table.count("tabular") == 0
    assert table.count(r"\label{tab:raters}") == 1
    assert all(table.count(f"\nr{at}\\_ & ") == 1 for at in range(130))
    if TEX is None:
        pytest.skip("no TeX here")
    page = (
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs,longtable}"
        r"\setlength{\textwidth}{455pt}\begin{document}"
        rf"{table}See \ref{{tab:raters}}.\end{{document}}"
    )
    (tmp_path / "table.tex").write_text(page, encoding="utf-8")
    quiet = ["-interaction=nonstopmode", "-halt-on-error"] if TEX.endswith("latex") else []
    for _ in range(2):  # longtable learns its widths from the run before
        ran = subprocess.run([TEX, *quiet, "table.tex"], cwd=tmp_path, capture_output=True, timeout=120)
        assert ran.returncode == 0, ran.stdout[-2000:]
    assert b"Overfull" not in ran.stdout
    pages = re.search(rb"\((\d+) pages", ran.stdout)
    assert not TEX.endswith("latex") or (pages is not None and int(pages[1]) > 2)


def test_columns_of_figures_stand_at_the_right() -> None:
    rows = ("1a", "–", "0.5", "–", "6 to 9"), ("2b", "3%", "x", "–", "−1 to 12%")
    table = Printed(("Rater", "n", "mixed", "none", "95%"), rows)
    assert markdown(table).splitlines()[1] == "| --- | ---: | --- | --- | ---: |"


@pytest.mark.parametrize("sign", SIGNS)
def test_what_is_pasted_holds_no_formula_and_no_further_cell(sign: str) -> None:
    """A tab or a line's end inside a cell would begin another cell with what stands behind it."""
    first = (sign + "1+1", "a\t=1+1", "b\n=1+1", " " + sign)
    table = Printed(("rater", "rho\n=2"), tuple((text, "−0.25") for text in first), ("=note",))
    lines = pasteable(table).split("\n")
    assert len(lines) == 6
    for line in lines:
        cells = line.split("\t")
        assert len(cells) == 2
        assert not cells[0].startswith(tuple(SIGNS))
    assert lines[2] == "a =1+1\t−0.25"
