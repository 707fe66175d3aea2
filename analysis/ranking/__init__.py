"""Rankings of items by raters: agreement of the rankings, and one scale from them."""
