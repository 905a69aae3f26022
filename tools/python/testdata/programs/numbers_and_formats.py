import cmath
import decimal
import fractions
import math
import statistics

print(0.1 + 0.2, 1e16, 1e15 + 0.3, 2 ** 0.5, -7 // 2, -7 % 3, math.fmod(-7, 3), round(2.5), round(-1.005, 2), 7 / 3)
print(f'{1234567.891:,.2f} {0.000012345:g} {255:#x} {-5:+d} {3.14159:10.3e} {12:08b} {0.5:%} {"x":^9}| {42:_>6}')
print(math.comb(50, 25), math.gcd(84, 36), math.isqrt(10 ** 21), math.prod(range(1, 25)), 3 ** 200 % 1000007,
      pow(7, -1, 31))
print(decimal.Decimal('1.10') + decimal.Decimal('2.205'), decimal.Decimal(2).sqrt(),
      decimal.Decimal('2.675').quantize(decimal.Decimal('0.01'), decimal.ROUND_HALF_UP))
print(fractions.Fraction(1, 3) + fractions.Fraction('0.25'), fractions.Fraction(math.pi).limit_denominator(1000),
      cmath.sqrt(-2), (1 + 2j) ** 3)
values = [2.5, 3.25, 5.5, 11.25, 11.75, 3.25]
print(statistics.mean(values), statistics.median(values), statistics.stdev(values), statistics.mode(values),
      statistics.quantiles(values), statistics.linear_regression(range(6), values))
print([math.sin(x / 7) for x in range(5)], math.log(10, 3), math.gamma(5.5), math.erf(0.3), math.hypot(3, 4),
      math.dist((0, 0), (1, 1)))
for expression in ('1 / 0', 'math.sqrt(-1)', 'int("1_0x")', 'float("1e")', 'decimal.Decimal("x")', '"a" + 1', '[] < 3',
                   'round("x")'):
    try:
        print(eval(expression))
    except Exception as error:
        print(type(error).__name__, error)
