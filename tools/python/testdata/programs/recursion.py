def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(700))
try:
    depth(10 ** 6)
except RecursionError as error:
    print(type(error).__name__, str(error)[:32])
x = []
x.append(x)
print(x, repr({'a': x}))
