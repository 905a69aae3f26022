import csv
from collections import Counter, defaultdict

rows = [('2024-01-05', 'Oslo', 'pen', 3, 1.5), ('2024-01-09', 'Lima', 'ink', 1, 7.25), ('2024-02-11', 'Oslo', 'ink', 2, 7.25), ('2024-02-28', 'Lima', 'pad', 5, 2.0)]
with open('sales.csv', 'w', newline='') as f:
    out = csv.writer(f)
    out.writerow(['date', 'city', 'item', 'count', 'price'])
    out.writerows(rows)
by_city, by_month, items = defaultdict(float), defaultdict(float), Counter()
with open('sales.csv', newline='') as f:
    for row in csv.DictReader(f):
        amount = int(row['count']) * float(row['price'])
        by_city[row['city']] += amount
        by_month[row['date'][:7]] += amount
        items[row['item']] += int(row['count'])
for name, table in ('city', by_city), ('month', by_month):
    print(f'{name:<10}{"amount":>10}')
    for key in sorted(table):
        print(f'{key:<10}{table[key]:>10.2f}')
print(items.most_common(2), dict(by_city))
