# Makes a list of an endless iterator.
# ends: memory limit
list(iter(int, 1))
