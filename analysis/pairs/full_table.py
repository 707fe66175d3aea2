"""Changes and variances of a fit whose systems, topics and raters met in most combinations, from a table of all.

They are those of `cluster_jackknife`, whose sums over combinations are sums along the table's axes here.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.pairs.cluster_jackknife import (
    BLOCK,
    Fit,
    change_of_cells,
    change_without,
    change_without_levels,
    changes,
)
from analysis.values.columns import coded
from analysis.values.types import Flags, Floats

MOST_PLACES = 2
"""Places of the table for each combination that occurs, up to which there is one."""
SMALLEST = 100_000
"""Combinations from which a full table is faster."""


@dataclass(frozen=True, eq=False)
class FullTable:
    """A fit's weights (levels, others, S) by level of the eliminated and of the other factor, 0 where none met.

    `moved` are the residuals times the weights, `per_rating` one part of each combination's ratings.
    """

    fitted: Fit
    weight: Floats
    moved: Floats
    per_rating: Floats

    @cached_property
    def total(self) -> Floats:
        """Weight (levels, others) of all systems."""
        return _over_systems(self.weight)

    @property
    def there(self) -> Flags:
        """True where a level of one factor met one of the other (levels, others)."""
        return self.total > 0

    def changes(self) -> tuple[Floats, Floats, Floats]:
        """Return the changes without each level, each of the other factor, and both together where they met."""
        fitted, systems, size = self.fitted, self.fitted.design.systems, len(self.fitted.equations)
        residuals, of_weight, of_moved = (
            _over_systems(self.moved),
            self.weight.sum(axis=0),
            self.moved.sum(axis=0),
        )
        right = np.concatenate([self.moved.sum(axis=1), residuals], axis=1)
        step = max(1, BLOCK // size**2)
        of_levels = [
            change_without_levels(fitted, levels, right[levels], self.weight[levels].transpose(0, 2, 1))
            for levels in np.split(np.arange(len(right)), range(step, len(right), step))
        ]
        every, of_others = np.arange(len(right)), []
        for other in range(self.weight.shape[1]):
            place, gone = systems + other, of_weight[other]
            columns, at = np.append(np.arange(systems), place), np.append(gone, gone.sum())
            within, equations = fitted.within.copy(), fitted.equations + fitted.reduction
            within[:, :systems] -= self.weight[:, other]
            within[:, place] = 0.0
            equations[columns, columns] -= at
            equations[columns[:-1], place] -= at[:-1]
            equations[place, columns[:-1]] -= at[:-1]
            of_columns = np.zeros(size)
            of_columns[columns] = np.append(of_moved[other], of_moved[other].sum())
            sums = self.total[:, other], residuals[:, other]
            of_others.append(change_without(fitted, equations, of_columns, every, within, *sums))
        found = np.concatenate(of_levels), np.concatenate(of_others), self._change_of_cells()
        return tuple(each * np.sqrt((len(each) - 1) / len(each)) for each in found)

    def _change_of_cells(self) -> Floats:
        fitted, systems = self.fitted, self.fitted.design.systems
        level, other = np.nonzero(self.there)
        step, found, each = max(1, BLOCK // (8 * systems**2)), [], np.arange(systems)[:, None]
        for at in range(0, len(level), step):
            here = level[at : at + step], other[at : at + step]
            root = np.sqrt(self.weight[here].T)
            pull = np.divide(self.moved[here].T, root, out=np.zeros_like(root), where=root > 0)
            given = root, pull
            change = change_of_cells(fitted, *given, each, here[0], systems + here[1][None])
            if change is None:
                _, cell = coded(fitted.inner * (int(other.max()) + 1) + fitted.column[:, 1])
                again = changes(fitted, cell)
                return np.asarray(again / np.sqrt((len(again) - 1) / len(again)))
            found.append(change)
        return np.concatenate(found)

    def added(self) -> tuple[tuple[Floats, Floats], ...]:
        """Return what effects of each system in a cluster add, and what errors of single ratings, as `variances_added`
        does, in the same order."""
        weight, systems = self.weight, self.fitted.design.systems
        of_columns, of_levels = self.fitted.gradients
        of_systems, of_others = of_columns[:systems], of_columns[systems:]
        squares = (2 * of_others @ of_systems.T)[None] + _products(of_levels, of_systems)[:, None, :]
        squares += _products(of_levels, of_others)[:, :, None]
        squares += np.einsum("ls,ls->l", of_levels, of_levels)[:, None, None]
        squares *= weight**2
        errors = squares * self.per_rating
        in_level, in_other = weight.sum(axis=1)[:, :, None], weight.sum(axis=0)[:, :, None]
        by_level = in_level * (of_systems + of_levels[:, None]) + weight.transpose(0, 2, 1) @ of_others
        by_other = in_other * (of_systems + of_others[:, None])
        by_other += (weight.reshape(len(weight), -1).T @ of_levels).reshape(by_other.shape)
        return (
            ((by_level**2).sum(axis=(1, 2)), errors.sum(axis=(1, 2))),
            ((by_other**2).sum(axis=(1, 2)), errors.sum(axis=(0, 2))),
            (_over_systems(squares)[self.there], _over_systems(errors)[self.there]),
        )


def _over_systems(values: Floats) -> Floats:
    """Sums (levels, others) over systems, which are few."""
    return np.asarray(values @ np.ones(values.shape[2]))


def _products(levels: Floats, columns: Floats) -> Floats:
    """Twice the inner products (levels, columns) and the columns' own."""
    return np.asarray(2 * levels @ columns.T + np.einsum("cs,cs->c", columns, columns))


def full_table(fitted: Fit) -> FullTable | None:
    """Return the table of a fit; None where there are few combinations, or most do not occur."""
    n, size = fitted.column.shape[0], len(fitted.equations)
    systems = fitted.design.systems
    shape = len(fitted.share), size - systems, systems
    if n < SMALLEST or fitted.column.shape[1] < 2 or np.prod(shape) > MOST_PLACES * n:
        return None
    place = (fitted.inner * shape[1] + fitted.column[:, 1] - systems) * systems + fitted.design.system

    def table(values: Floats) -> Floats:
        found = np.zeros(shape)
        found.ravel()[place] = values
        return found

    weight = fitted.design.weight
    return FullTable(fitted, table(weight), table(weight * fitted.residual), table(1 / fitted.design.count))
