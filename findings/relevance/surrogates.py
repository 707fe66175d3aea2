"""The surrogates of a study of relevance, and what judgments of them can be held against."""

from dataclasses import dataclass

LDC, PREDICTION = "LDC Agreement", "Relevance Prediction"


@dataclass(frozen=True)
class Surrogates:
    """Names by code; `full_text` is the code of the document itself, -1 where there is none of it, and `summaries` are
    the codes of all others that occur."""

    names: tuple[str, ...]
    full_text: int
    summaries: tuple[int, ...]
    has_full_text: bool
    has_gold: bool
    has_seconds: bool

    @property
    def full_text_name(self) -> str:
        return self.names[self.full_text] if self.full_text >= 0 else "the full text"

    @property
    def there(self) -> tuple[int, ...]:
        """Codes of all that occur, the full text last."""
        return (*self.summaries, self.full_text) if self.has_full_text else self.summaries

    @property
    def sides(self) -> list[str]:
        """What judgments can be held against: the own full text first, then gold."""
        known = {PREDICTION: self.has_full_text and bool(self.summaries), LDC: self.has_gold}
        return [name for name, is_known in known.items() if is_known]
