"""What is done before an image of memory is made, so that runs which start from it have less to do and to write.

The modules are imported for images with packages, after the packages. They use them as programs do: CPython adapts code
to what it does the first times, and packages prepare what they need then. Random numbers, the time and files are not
used.
"""


def fill(kept, end):
    """Fills the memory that is free between what stays, up to an address. So what runs make lies side by side behind
    it: they write to few pages, which are put back after each of them, and are what a session keeps."""
    at, size = 0, 4096
    while at < len(kept):
        one = bytes(size) if size else object()
        if id(one) < end:
            kept[at] = one
            at += 1
        elif size:
            size -= 8
        else:
            return
