"""The sources that methods paragraphs cite, as a list in words and as BibTeX; they are in `report/sources.toml`."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_TEX = {"``": "“", "''": "”", '{\\"o}': "ö", '{\\"u}': "ü", '{\\"a}': "ä", "{\\'e}": "é"}


@dataclass(frozen=True)
class Source:
    """A publication: its BibTeX kind and fields."""

    kind: str
    fields: Mapping[str, str]

    @property
    def listed(self) -> str:
        """Entry in the list of sources."""
        given = self.fields
        places = [given.get(name, "") for name in ("journal", "booktitle", "howpublished", "publisher")]
        number = f"({given['number']})" if "number" in given else ""
        issue = f"{given.get('volume', '')} {number}".strip()
        pages = f"pp. {given['pages'].replace('--', '–')}" if "pages" in given else ""
        place = ", ".join(filter(None, [*places, issue, pages]))
        authors = ", ".join(
            " ".join(reversed(author.split(", ", 1))) for author in given["author"].split(" and ")
        )
        text = f"{authors} ({given['year']}). {given['title']}. {place}."
        for tex, letter in _TEX.items():
            text = text.replace(tex, letter)
        return re.sub(r"[{}]", "", text)


def _read_sources() -> dict[str, Source]:
    text = (Path(__file__).parents[1] / "sources.toml").read_text(encoding="utf-8")
    return {key: Source(fields.pop("kind"), fields) for key, fields in tomllib.loads(text).items()}


SOURCES = _read_sources()


def bibtex(keys: Iterable[str]) -> str:
    """Return the entries of these sources."""
    return "\n".join(_entry(key, SOURCES[key]) for key in keys)


def _entry(key: str, source: Source) -> str:
    body = ",\n".join(f"  {name} = {{{value.replace('²', '2')}}}" for name, value in source.fields.items())
    return f"@{source.kind}{{{key},\n{body}\n}}\n"
