import numpy as np

a = np.cos(np.arange(200 * 200)).reshape(200, 200) + 200 * np.eye(200)


def main():
    return round(float(np.linalg.solve(a, np.ones(200)).sum()), 6), round(float(np.linalg.svd(a)[1].sum()), 2)
