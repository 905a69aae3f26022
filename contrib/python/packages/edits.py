"""Replaces texts of sources. What an edit does not find as it must be ends the build."""

import sys


def editor(root):
    """Returns edit(FILE, *CHANGES) for the files of a folder. A change is (OLD, NEW), where the old text is there once,
    or (OLD, NEW, TIMES); "all" is any number of times but none."""
    def edit(file, *changes):
        path = root / file
        text = path.read_text()
        for old, new, *times in changes:
            found, wanted = text.count(old), times[0] if times else 1
            if found != wanted and not (wanted == "all" and found):
                sys.exit(f"{path}: {old!r} is there {found} times")
            text = text.replace(old, new)
        path.write_text(text)

    return edit


def cutter(root):
    """Returns cut(FILE, BEGIN, END, NEW) for the files of a folder. It replaces what begins with a text that is there
    once, up to another one, or up to the end of the file if that is None."""
    def cut(file, begin, end, new):
        path = root / file
        before, found, rest = path.read_text().partition(begin)
        _, last, after = rest.partition(end) if end else ("", "", "")
        if not found or begin in rest or end and not last:
            sys.exit(f"{path}: {begin!r} is not there once, before {end!r}")
        path.write_text(before + new + last + after)

    return cut
