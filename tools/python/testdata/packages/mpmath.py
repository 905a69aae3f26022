# Debian: python3-mpmath
from mpmath import findroot, mp, mpf, quad, zeta

mp.dps = 40
print(mp.pi, mp.e, mpf(2) ** 0.5)
print(zeta(3), mp.gamma(mpf(1) / 3), mp.besselj(0, 1))
print(quad(lambda t: mp.exp(-t * t), [-mp.inf, mp.inf]) ** 2)
print(findroot(lambda t: mp.cos(t) - t, 0.7), mp.polyroots([1, 0, -2]))
print(mp.matrix([[1, 2], [3, 4]]) ** -1, mp.identify(mpf('1.4142135623730950488016887242096980785697')))
