import os
import pathlib
import time

p = pathlib.Path('x')
p.touch()
os.utime(p, (1000, 2000))
print(p.stat().st_mtime, os.path.getmtime(p))
p.touch()
print(abs(p.stat().st_mtime - time.time()) < 60)
os.utime(p, ns=(5, 1_500_000_000))
print(p.stat().st_mtime_ns, time.strftime('%Y', time.gmtime(p.stat().st_mtime)))
