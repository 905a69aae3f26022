"""What is done before an image of memory is made, so that runs which start from it have less to do and to write.

The modules are imported for images with packages, after the packages. They use them as programs do: CPython adapts code
to what it does the first times, and packages prepare what they need then. Random numbers, the time and files are not
used.
"""

import gc


def settle(most, spare):
    """Fills the memory that is free between what stays, with most objects at most, and returns them: they are to be
    kept. So what runs make lies side by side behind it: they write to few pages, which are put back after each of
    them, and are what a session keeps. There are spare bytes of memory that need not grow then, since it cannot
    shrink."""
    kept = [None] * most
    behind = bytes(spare)
    gc.collect()
    at, size = 0, 4096
    while at < most:
        one = bytes(size) if size else object()
        if id(one) < id(behind):
            kept[at] = one
            at += 1
        elif size:
            size -= 8
        else:
            break
    return kept
