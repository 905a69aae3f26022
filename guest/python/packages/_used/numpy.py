import numpy as np


def use():
    a = np.arange(12.0)
    b = np.array([[1, 2, 3], [4, 5, 7], [6, 8, 10]])
    for one in a, b, a > 3, np.array(["a", "b"]), np.zeros((2, 2)), np.linspace(0, 1, 5):
        repr(one), str(one)
    a.sum(), a.mean(), a.std(), a.max(), a.argmin(), a.cumsum(), a.reshape(3, 4).T.sum(axis=0)
    a[a > 3], a[[1, 2]], a[::-1], np.where(a > 3, a, 0), np.concatenate([a, a]), np.sort(a), np.unique(b)
    a * 2 + 1, np.sqrt(a), np.exp(-a), b @ b, b.dot(b), np.dot(a, a), np.linalg.inv(b), np.linalg.solve(b, b)
    np.median(a), np.percentile(a, 90), np.isnan(a).any(), np.round(a, 1), np.clip(a, 1, 2), b.astype(float)
    float(a[0]), int(b[0, 0]), a.tolist(), np.stack([a, a]), np.full(3, 1), np.ones(3, dtype=int), np.allclose(a, a)


for _ in range(16):
    use()
