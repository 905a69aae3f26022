# Debian: python3-xlsxwriter
import zipfile

import xlsxwriter

book = xlsxwriter.Workbook('chart.xlsx')
sheet = book.add_worksheet('Data')
bold = book.add_format({'bold': True, 'num_format': '0.00'})
sheet.write_row('A1', ['n', 'square'], bold)
for n in range(1, 6):
    sheet.write(n, 0, n)
    sheet.write_formula(n, 1, f'=A{n + 1}^2', None, n * n)
chart = book.add_chart({'type': 'column'})
chart.add_series({'values': '=Data!$B$2:$B$6', 'name': 'squares'})
sheet.insert_chart('D2', chart)
sheet.autofilter(0, 0, 5, 1)
sheet.freeze_panes(1, 0)
book.close()
with zipfile.ZipFile('chart.xlsx') as archive:
    print(sorted(archive.namelist()), archive.testzip())
    print(archive.read('xl/worksheets/sheet1.xml').decode())
    print(archive.read('xl/charts/chart1.xml').decode()[:600])
