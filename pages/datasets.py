"""Data: from a file to a saved data set, and the data sets there are."""

from panels.data import own_datasets, start, steps, upload

file = upload.waiting()
own_datasets.told()
replaced = steps.being_replaced()
if file is None:
    start.show(replaced)
else:
    steps.read(file, replaced)
