"""Says that there is no package beside NumPy: see Unseeded in the boot code."""
