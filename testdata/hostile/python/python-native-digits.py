# Writes a large number in decimal.
# ends: time limit
import sys
sys.set_int_max_str_digits(0)
str(1 << 10**7)
