"""Runs every benchmark and prints one table of ratios, medians of several runs each.

python -m benchmarks [name ...]
"""

import argparse
import importlib

NAMES = (
    "repetition",
    "import_speed",
    "lake_import",
    "comparison_5m",
    "slider",
    "leave_one_out",
    "toggle",
    "pcch",
    "glad",
    "preference_draws",
    "drop_slider",
    "partitions",
    "partition_slider",
    "key_lookup",
    "load",
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="name", help=f"some of: {', '.join(NAMES)}")
    chosen = arguments.parse_args().names or NAMES
    print("| what | against | ratio | limit | |\n| --- | --- | --- | --- | --- |")
    for name in chosen:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(row.as_markdown(), flush=True)


if __name__ == "__main__":
    main()
