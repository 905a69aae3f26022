import atexit
import sys

atexit.register(print, 'at exit')
print('out')
print('err', file=sys.stderr)
sys.exit(3)
