"""Run benchmarks and print a table of ratios, medians of several runs each.

python -m benchmarks [name ...]
python -m benchmarks calibration [--until N] [--under SECONDS] [words of a name ...]
python -m benchmarks since OTHER_CHECKOUT [--ratings N] [--rounds N] [--folder FOLDER]
"""

import argparse
import importlib
import sys

NAMES = {
    "methods": (
        "repetition",
        "leave_one_out",
        "pcch",
        "rank_draws",
        "alpha",
        "alpha_intervals",
        "glad",
        "bradley_terry",
        "preference_draws",
        "partitions",
    ),
    "size": (
        "import_speed",
        "lake_import",
        "comparison_5m",
        "million_votes",
        "at_size",
        "lake_at_size",
        "hostile_files",
    ),
    "steps": ("slider", "toggle", "drop_slider", "partition_slider"),
    "visits": ("first_visits", "key_lookup", "hundred", "long_names", "under_attack", "floods"),
}
"""Benchmarks of each package."""
MODULES = {"load": "benchmarks.load"} | {
    name: f"benchmarks.{room}.{name}" for room, names in NAMES.items() for name in names
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="name", help=f"some of: {', '.join(MODULES)}")
    parsed, remaining = arguments.parse_known_args()
    if parsed.names[:1] == ["calibration"]:
        importlib.import_module("benchmarks.calibration.__main__").main([*parsed.names[1:], *remaining])
        return
    if parsed.names[:1] == ["since"]:
        importlib.import_module("benchmarks.size.since").main(sys.argv[2:])
        return
    chosen = parsed.names or MODULES
    print("| what | against | ratio | limit | |\n| --- | --- | --- | --- | --- |")
    for name in chosen:
        for row in importlib.import_module(MODULES[name]).rows():
            print(row.as_markdown(), flush=True)


if __name__ == "__main__":
    main()
