import numpy as np

a = np.arange(1_000_000) * 0.5


def main():
    return float((a + a * 2).sum()), float(a.mean())
