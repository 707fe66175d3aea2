"""How agreement with the other raters and with the reference is worked out, in words."""

EXPLANATION = r"""
**Agreement with the others**, r_w: Pearson's correlation of a rater's scores with the mean of all other raters on the
same items, at least three; severity does not enter. Intervals are Fisher's z over the rater's items, for these raters.
Raters are sorted by their figure, those with few items last. Open diamonds are
raters whose interval holds 0 or less.

**Raters clearly below or above the typical rater** are found as under *Who is consistent*: 5 raters with 10 shared
items each, one jackknife variance, p values adjusted for all raters.

**Agreement with the reference**, e_w: the correlation of a rater's scores with the reference chosen in the sidebar
(another group's MOS or a number of the items). r_w measures agreement only: where most are wrong alike, who is right
comes last.

**Repeats**: a rater who rated an item more than once counts once in both, with the mean of its ratings.

**Over raters**: Spearman's $\rho$ of both figures, with an interval on Fisher's z from the larger of Bonett and
Wright's error and the jackknife's.

Sources: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1, on numeric ratings; Fisher 1921; Bonett and Wright 2000.
"""
