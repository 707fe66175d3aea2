"""File formats: what people's files look like becomes one table with one rating per row.

To add a format of a platform or tool:

1. Add a `Format` (see `data.formats.parts.format`) to the `FORMATS` of the module of its kind in `platforms`. `knows`
   says whether names and first rows are this format's (`has_columns` by names alone); never the file's name.
2. `canonical(table, chosen)`: the table that `table_of` makes of the responses in each row (`Response` in
   `data.formats.parts.responses`: item, rater, answers by question), and of an `Aside` with the reason where there is
   none. Where the columns are to tell what they mean, `Canonical` without `Known`: the reader then reads the table.
3. The first of `data.formats.readers.FORMATS` that knows a table makes its own of it.
4. Show it in `tests/data/formats`: the platform's documented sample, and a conversion by hand.

What is no table of text needs a reader first: a module in `data.formats.files` with `reads` and `as_text`, in
`data.formats.readers.READERS`. It makes a table of what the file holds, lists and objects in its cells as JSON
(`data.formats.parts.cells`); what that table means is a format's to know.
"""

from data.formats.readers import Recognised, recognise

__all__ = ["Recognised", "recognise"]
