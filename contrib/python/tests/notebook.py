"""Runs the cells of a notebook one after another, and writes to ends.json how each ended.

That is what it printed and the value of its last expression, or None after an error. Before this text stands
"cells = [...]". Figures end with their cells, as in a notebook. What stands for a picture is left out.
"""

import ast
import contextlib
import io
import json
import pathlib
import re
import sys
import warnings

import pandas

warnings.simplefilter("ignore")
pandas.set_option("display.max_columns", 20, "display.width", 80)  # a terminal has others
names = {"__name__": "__main__"}


def ended(cell):
    printed = io.StringIO()
    try:
        tree = ast.parse(cell)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    except Exception:
        return None
    finally:
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    text = re.sub(r"\[picture .*\]\n", "", printed.getvalue())
    return text + ("" if value is None else re.sub("0x[0-9a-f]+", "0x", repr(value)))


ends = [ended(cell) for cell in cells]
pathlib.Path("ends.json").write_text(json.dumps(ends))
