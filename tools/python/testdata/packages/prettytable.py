# Debian: python3-prettytable python3-wcwidth
from prettytable import MARKDOWN, PrettyTable, from_csv

table = PrettyTable(['city', 'area', 'people'])
table.add_rows([['Adelaide', 1295, 1158259], ['Brisbane', 5905, 1857594], ['Darwin', 112, 120900]])
table.align['city'] = 'l'
table.sortby = 'people'
print(table)
table.set_style(MARKDOWN)
print(table.get_string(fields=['city', 'area'], reversesort=True))
print(table.get_html_string(), table.get_json_string())
with open('in.csv', 'w') as f:
    f.write('a,b\n1,2\n3,4\n')
with open('in.csv') as f:
    print(from_csv(f))
