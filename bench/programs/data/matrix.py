import numpy as np

a = np.linspace(0, 1, 256 * 256).reshape(256, 256)


def main():
    return round(float((a @ a.T).sum()), 2)
