# Consumes an endless cycle, in C code.
# ends: time limit
import itertools, collections
collections.deque(itertools.cycle('a'), 0)
