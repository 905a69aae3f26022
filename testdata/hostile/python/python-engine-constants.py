# Reads beyond the constants of a function.
# ends: crash or returns or exception or time limit or memory limit
f = (lambda: 0).__code__
eval(f.replace(co_code=b'\x64\xff' * 100, co_consts=()))
