import io
import sys

sys.stdin = io.StringIO('Ann\n42\n\nlast')
name = input('name? ')
print('hello', name, int(input()) + 1, repr(input()), repr(input()))
try:
    input('more? ')
except EOFError as error:
    print(error)
sys.stdin = io.StringIO('1 2\n3 4\n')
print([sum(map(int, line.split())) for line in sys.stdin])
