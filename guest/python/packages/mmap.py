"""Stands for the module of this name, which packages import: files are not mapped into memory here."""

ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY = range(4)
MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS = 1, 2, 32
MAP_ANON = MAP_ANONYMOUS
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
PAGESIZE = ALLOCATIONGRANULARITY = 65536
error = OSError


class mmap:
    def __init__(self, *args, **kwargs):
        raise OSError("files are not mapped into memory here: read the file")
