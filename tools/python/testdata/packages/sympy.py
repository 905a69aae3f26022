# Debian: python3-sympy python3-mpmath
import sympy
from sympy import Eq, Matrix, Rational, diff, expand, factor, integrate, limit, oo, pi, simplify, sin, solve, sqrt, symbols

x, y = symbols('x y')
print(expand((x + y) ** 4))
print(factor(x ** 3 - 6 * x ** 2 + 11 * x - 6))
print(solve(Eq(x ** 2 - 2, 0), x), solve([x + y - 3, x - y - 1], [x, y]))
print(diff(sin(x) * x ** 2, x), integrate(x * sin(x), x), integrate(1 / (1 + x ** 2), (x, 0, oo)))
print(limit(sin(x) / x, x, 0), simplify(sin(x) ** 2 + sympy.cos(x) ** 2), sympy.series(sympy.exp(x), x, 0, 4))
print(Matrix([[2, 1], [1, 3]]).inv(), Matrix([[2, 1], [1, 3]]).det())
print(Rational(1, 3) + Rational(1, 6), pi.evalf(30), sqrt(8), sympy.factorint(2 ** 32 + 1), sympy.prime(100))
sympy.pprint(integrate(x ** 2 / 3), use_unicode=True)
print(sympy.latex(sqrt(x / y)))
