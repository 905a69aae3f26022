# Computes with millions of decimal digits.
# ends: time limit or memory limit
import decimal
decimal.getcontext().prec = 5_000_000
decimal.Decimal(2).sqrt()
decimal.Decimal(3) ** 10**15
