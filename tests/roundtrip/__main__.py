"""Print how often written studies are read right: `python -m tests.roundtrip [N] [LAYOUT …] [--seed S]`."""

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.outcomes import ASKED, RIGHT, WRONG, Rates, measured


def _line(name: str, came: Counter[str]) -> str:
    shares = (f"{100 * came[what] / max(came.total(), 1):.0f}%" for what in (RIGHT, ASKED, WRONG))
    return f"| {name} | {came.total()} | {' | '.join(shares)} |"


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _measure_layout(seeds: range, layout: str) -> Rates:
    return measured(seeds, [layout])


def main() -> None:
    """Print the rates as tables in Markdown, and examples of what was not right."""
    parser = argparse.ArgumentParser(prog="tests.roundtrip", description=__doc__)
    parser.add_argument("studies", nargs="?", type=int, default=20, help="studies per layout")
    parser.add_argument("layouts", nargs="*", default=list(LAYOUTS), metavar="LAYOUT", help="all by default")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first study")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    unknown = [name for name in asked.layouts if name not in LAYOUTS]
    if unknown:
        parser.error(f"unknown layout {unknown[0]!r}; there are {', '.join(LAYOUTS)}")
    rates = Rates()
    with ProcessPoolExecutor(asked.processes) as pool:
        work = partial(_measure_layout, range(asked.seed, asked.seed + asked.studies))
        for of_layout in pool.map(work, asked.layouts):
            rates.add(of_layout)
    tables = {
        "layout": rates.by_layout | {"all layouts": rates.total},
        "noise": dict(sorted(rates.by_noise.items())),
        "layout of tables that nobody can decide": rates.undecidable,
    }
    for head, table in tables.items():
        _tell(f"\n| {head} | studies | right | asked | wrong |\n| --- | --- | --- | --- | --- |")
        for name, came in table.items():
            _tell(_line(name, came))
    for name, examples in rates.examples.items():
        _tell(f"\n{name}")
        for example in examples[:3]:
            _tell(f"  {example[:240]}")


if __name__ == "__main__":
    main()
