def find_library(name):
    """There are no native libraries."""
