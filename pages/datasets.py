"""Data: from a file to a saved data set, and the data sets there are."""

from ui.screens import joining, own_datasets, steps, upload

file = upload.waiting()
own_datasets.show_message()
joined_to = joining.joined_to(file)
replaced = steps.show_replaced()
if file is None:
    steps.show(replaced, joining.section)
elif joined_to is not None:
    joining.show(file, joined_to)
else:
    steps.read(file, replaced)
