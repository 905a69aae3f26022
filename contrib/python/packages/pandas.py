"""Edits pandas' sources: pandas.py ROOT. Each edit must find what it replaces, once."""

import pathlib
import sys

from edits import editor

edit = editor(pathlib.Path(sys.argv[1]))

# As in a notebook: no terminal has a width that columns must fit into.
edit("pandas/core/config_init.py",
     ("    if is_terminal():\n        max_cols = 0 ", "    if False:\n        max_cols = 0 "))
