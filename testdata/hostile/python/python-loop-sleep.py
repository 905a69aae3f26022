# Sleeps for years.
# ends: time limit
import time
time.sleep(10**8)
