# Loops in a function that traces all others.
# ends: time limit
import sys
def f(*args):
    while True: pass
sys.settrace(f)
(lambda: 0)()
