"""Gives functions the parameters with which Python calls them: WebAssembly checks them in calls through pointers.

Methods without arguments get an argument all the same, and getters get what they are a closure of. Sources in C may
leave them out where the machine does not mind.
"""

import re
import sys


def correct(paths, times):
    """Adds the second parameter where it is missing, which is the case as often as the number says."""
    found = 0
    for path in paths:
        text = path.read_text()
        for name in set(re.findall(r"\(\s*(?:getter|PyCFunction)\s*\)\s*(\w+),", text)):
            text, n = re.subn(rf"\b({name}\(\s*\w+\s*\*\s*\w+)(\s*\)\s*\{{)", r"\1, PyObject *unused\2", text)
            found += n
        path.write_text(text)
    if found != times:
        sys.exit(f"{found} functions lack a parameter, not {times}")
