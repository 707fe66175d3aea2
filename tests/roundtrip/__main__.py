"""Print how often written studies are read right: `python -m tests.roundtrip [STUDIES] [LAYOUT …]`."""

import sys
from collections import Counter

from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.outcomes import ASKED, RIGHT, WRONG, measured


def _line(name: str, came: Counter[str]) -> str:
    shares = (f"{100 * came[what] / came.total():.0f}%" for what in (RIGHT, ASKED, WRONG))
    return f"| {name} | {came.total()} | {' | '.join(shares)} |"


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print the rates as tables in Markdown, and examples of what was not right."""
    number, *layouts = sys.argv[1:] or ["20"]
    rates = measured(range(int(number)), tuple(layouts) or tuple(LAYOUTS))
    for head, table in (("layout", rates.by_layout), ("noise", rates.by_noise)):
        _tell(f"\n| {head} | studies | right | asked | wrong |\n| --- | --- | --- | --- | --- |")
        for name, came in table.items():
            _tell(_line(name, came))
    _tell(_line("all layouts", sum(rates.by_layout.values(), Counter())))
    for name, examples in rates.examples.items():
        _tell(f"\n{name}")
        for example in examples[:3]:
            _tell(f"  {example[:240]}")


if __name__ == "__main__":
    main()
