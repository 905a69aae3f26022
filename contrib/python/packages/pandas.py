"""Edits pandas' sources: pandas.py ROOT. Each edit must find what it replaces, once."""

import pathlib
import sys

root = pathlib.Path(sys.argv[1])


def edit(file, old, new):
    path = root / file
    text = path.read_text()
    if text.count(old) != 1:
        sys.exit(f"{path}: {old!r} is there {text.count(old)} times")
    path.write_text(text.replace(old, new))


# As in a notebook: no terminal has a width that columns must fit into.
edit("pandas/core/config_init.py",
     "    if is_terminal():\n        max_cols = 0 ", "    if False:\n        max_cols = 0 ")
