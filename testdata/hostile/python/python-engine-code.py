# Runs code that it has made by hand.
# ends: crash or returns or exception or time limit or memory limit
f = (lambda: 0).__code__
eval(f.replace(co_code=bytes(range(256)) * 8, co_stacksize=1))
