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
