# Recurses without end, after it has raised the limit.
# ends: time limit or memory limit or recursion limit
import sys
sys.setrecursionlimit(2**31 - 1)
def f(): f()
f()
