# Has Qhull triangulate random points, and points on a line, which it must refuse.
# ends: time limit or memory limit
import matplotlib.tri as tri
import numpy as np

while True:
    tri.Triangulation(*np.random.rand(2, 20_000))
    try:
        tri.Triangulation(np.arange(1000), np.arange(1000))
    except Exception:
        pass
