import numpy as np

a = np.arange(300_000) * 7919 % 300_007


def main():
    return int(np.sort(a)[1000]), int(np.argsort(a)[1000]), len(np.unique(a % 1000))
