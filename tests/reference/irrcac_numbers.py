"""Results of irrCAC for its own data sets, for tests that lack it (it is GPL).

python -m venv irrcac && irrcac/bin/pip install irrcac==0.4.4 "numpy<2.3"
irrcac/bin/python tests/reference/irrcac_numbers.py
"""

import json
from pathlib import Path
from typing import Any

from irrCAC.datasets import raw_4raters, raw_5observers, table_cont3x3abstractors
from irrCAC.raw import CAC
from irrCAC.table import CAC as TableCAC

COEFFICIENTS = {
    "Brennan-Prediger": "bp",
    "Gwet AC": "gwet",
    "Fleiss kappa": "fleiss",
    "Conger kappa": "conger",
}


def told(estimate: dict[str, Any]) -> dict[str, float]:
    return {"value": float(estimate["coefficient_value"]), "error": float(estimate["se"])}


def main() -> None:
    """Write the numbers to this folder."""
    sets = {"4 raters": raw_4raters(), "5 observers": raw_5observers()}
    numbers: dict[str, Any] = {}
    for name, data in sets.items():
        table = data.drop(columns=[column for column in data if column.lower() in ("units", "unit")])
        rows = [[None if cell != cell else float(cell) for cell in row] for row in table.to_numpy().tolist()]
        numbers[name] = {"rows": rows}
        for weights in ("identity", "linear", "quadratic", "ordinal"):
            cac = CAC(table, weights=weights, digits=12)
            numbers[name][weights] = {
                ours: told(getattr(cac, theirs)()["est"]) for ours, theirs in COEFFICIENTS.items()
            }
    counts = table_cont3x3abstractors()
    cac = TableCAC(counts, digits=12)
    numbers["abstractors"] = {
        "table": counts.to_numpy().tolist(),
        "identity": {
            "Conger kappa": told(cac.cohen()["est"]),
            "Fleiss kappa": told(cac.scott()["est"]),
            "Gwet AC": told(cac.gwet()["est"]),
            "Brennan-Prediger": told(cac.bp()["est"]),
        },
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
