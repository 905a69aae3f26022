# Compiles deeply nested source.
# ends: exception
eval('(' * 10**5 + ')' * 10**5)
