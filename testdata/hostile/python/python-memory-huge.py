# Asks for more memory than there can be.
# ends: exception OverflowError
'x' * 10**10
