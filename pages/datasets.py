"""Data: from a file to a saved data set in four steps, and the data sets there are."""

from panels.data import own_datasets, start, steps, upload

file = upload.waiting()
own_datasets.told()
replaced = steps.being_replaced()
if file is None:
    start.show(replaced)
else:
    table = steps.choose_columns(file, replaced)
    if table is not None and steps.check(file, table):
        steps.save(file, table, replaced)
