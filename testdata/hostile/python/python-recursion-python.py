# Recurses without end.
# ends: exception RecursionError
def f(): f()
f()
