# Backtracks for ever in a regular expression.
# ends: time limit
import re
re.match('(a+)+$', 'a' * 50 + 'b')
