# Debian: python3-tabulate python3-wcwidth
from tabulate import tabulate

rows = [['Oslo', 717710, 0.25], ['Lima', 10092000, -3.5], ['東京', 13960000, None]]
for style in ('plain', 'grid', 'github', 'html', 'latex', 'rst', 'fancy_grid'):
    print(tabulate(rows, headers=['city', 'people', 'change'], tablefmt=style, floatfmt='.2f', missingval='?'))
print(tabulate({'n': range(3), 'square': [n * n for n in range(3)]}, headers='keys', showindex=True))
