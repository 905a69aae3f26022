"""Comes last."""

import gc

from . import fill

kept = [None] * (64 << 10)
spare = bytes(4 << 20)  # memory that need not grow then, since it cannot shrink
gc.collect()
fill(kept, id(spare))
del spare
