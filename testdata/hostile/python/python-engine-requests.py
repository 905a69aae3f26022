# Asks the host for whatever is at any address.
# ends: crash or exception OSError
import time
for i in range(0, 2**31, 10**7): time.clock_getres(i)
