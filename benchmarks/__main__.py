"""Runs every benchmark and prints one table of ratios, medians of several runs each.

python -m benchmarks [name ...]
python -m benchmarks calibration [--most N] [words of a name ...]
"""

import argparse
import importlib

NAMES = (
    "repetition",
    "import_speed",
    "lake_import",
    "comparison_5m",
    "at_size",
    "lake_at_size",
    "slider",
    "leave_one_out",
    "toggle",
    "pcch",
    "rank_draws",
    "alpha_intervals",
    "glad",
    "million_votes",
    "bradley_terry",
    "preference_draws",
    "drop_slider",
    "partitions",
    "partition_slider",
    "first_visits",
    "key_lookup",
    "load",
    "hundred",
    "under_attack",
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="name", help=f"some of: {', '.join(NAMES)}")
    given, rest = arguments.parse_known_args()
    if given.names[:1] == ["calibration"]:
        importlib.import_module("benchmarks.calibration.__main__").main([*given.names[1:], *rest])
        return
    chosen = given.names or NAMES
    print("| what | against | ratio | limit | |\n| --- | --- | --- | --- | --- |")
    for name in chosen:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(row.as_markdown(), flush=True)


if __name__ == "__main__":
    main()
