# Loops in a destructor.
# ends: time limit
class A:
    def __del__(self):
        while True: pass
A()
