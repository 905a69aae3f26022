# Loops in a function that is called at the end.
# ends: time limit
import atexit
@atexit.register
def f():
    while True: pass
