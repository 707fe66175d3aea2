"""Prices and effort of a planned study."""

from dataclasses import dataclass

from analysis.planning.budget import StudyCosts
from features.blocks import Text
from features.plotting.numbers import decimal, money
from features.words import of_many

HOUR = 3600


@dataclass(frozen=True)
class Prices:
    """Prices as entered, of which None or 0 were not; `seconds` is the time of a rating, `budget` what may be spent."""

    rating: float | None = None
    item: float = 0.0
    rater: float = 0.0
    fixed: float = 0.0
    currency: str = "€"
    seconds: float = 15.0
    budget: float | None = None

    @property
    def are_known(self) -> bool:
        """True where somebody entered the price of a rating: without it nothing has a price."""
        return self.rating is not None

    @property
    def costs(self) -> StudyCosts:
        """Costs of a study, free as far as nobody entered a price."""
        return StudyCosts(self.rating or 0.0, self.item, self.rater, self.fixed)

    def written(self, amount: float) -> str:
        """Return an amount in the currency that was entered."""
        return money(amount, self.currency)


def effort(prices: Prices, ratings: int, price: float, each: str = "", what: str = "ratings") -> Text:
    """Return price, ratings and hours of a study as a note; `each` says how many a rater gives."""
    cost = "Price {price}: " if prices.are_known else ""
    return (
        cost + "{ratings}{each}, {hours} hours at {seconds}\u00a0s each.",
        {
            "price": prices.written(price),
            "ratings": of_many(ratings, what),
            "each": each,
            "hours": decimal(ratings * prices.seconds / HOUR, 1),
            "seconds": f"{prices.seconds:g}",
        },
    )
