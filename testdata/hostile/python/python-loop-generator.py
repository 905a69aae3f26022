# Filters an endless generator.
# ends: time limit
import itertools
list(x for x in itertools.count() if False)
