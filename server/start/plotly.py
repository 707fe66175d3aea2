"""Plotly as far as our figures need it: what draws bars, lines, points and heat maps, two fifths of the whole.

Streamlit's program of a figure holds all of Plotly, maps and three dimensions with it, and a browser fetches, reads and
runs all of that before the first picture. The program is a row of modules, each under its name and run when another
asks for it, and one asks for all kinds of traces. Here it asks for ours, and modules that then nobody asks for are left
out.
"""

import re
from collections.abc import Iterable, Mapping

KINDS = ("bar", "heatmap")
"""Of traces, besides `scatter`, which is part of Plotly's core."""
CHANGED = "/* Plotly.js (MIT) in a program of Streamlit's (Apache-2.0), cut by Raterscope: fewer kinds of traces. */\n"
_MODULE = re.compile(r'(?<![\w$.])([\w$]+)=[\w$]+\(\{"([\w@./-]+)"\(')
_ASKED = re.compile(r"(?<![\w$.])([\w$]+)\(\)")
_ALL_KINDS = re.compile(r"\.register\(\[((?:[\w$]+\(\),?)+)\]\)")
_END = "}}),"
"""Of a module with the next one after it; where other lines stand between them they stay, and the module with them."""


def cut(program: str) -> str:
    """The same program for fewer kinds; as it came where it is not put together as we know it."""
    starts = [*_MODULE.finditer(program)]
    named = {start[2]: start[1] for start in starts}
    everything = _ALL_KINDS.search(program)
    wanted = ["lib/core.js", *(f"lib/{kind}.js" for kind in KINDS)]
    if everything is None or not named.keys() >= set(wanted):
        return program
    ends = [*(start.start() for start in starts[1:]), everything.start()]
    modules = {start[1]: program[start.start() : end] for start, end in zip(starts, ends, strict=True)}
    core, *kinds = (named[name] for name in wanted)
    needed = _needed([core, *kinds], modules)
    kept = (text for name, text in modules.items() if name in needed or not text.endswith(_END))
    asks = f".register([{','.join(f'{kind}()' for kind in kinds)}])"
    return CHANGED + program[: starts[0].start()] + "".join(kept) + asks + program[everything.end() :]


def _needed(names: Iterable[str], modules: Mapping[str, str]) -> set[str]:
    """These modules and those that they ask for."""
    found: set[str] = set()
    left = [*names]
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            left += [asked for asked in _ASKED.findall(modules[name]) if asked in modules]
    return found
