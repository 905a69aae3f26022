# Deletes all built-in functions.
# ends: returns or exception
import builtins
for name in list(vars(builtins)): delattr(builtins, name)
