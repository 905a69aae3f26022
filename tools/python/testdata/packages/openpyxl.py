# Debian: python3-openpyxl python3-et-xmlfile
import datetime

import openpyxl
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'Sales'
sheet.append(['city', 'amount', 'on'])
for row in (['Oslo', 20.5, datetime.date(2024, 1, 2)], ['Lima', 22, datetime.date(2024, 3, 4)]):
    sheet.append(row)
sheet['A1'].font = Font(bold=True)
sheet['B4'] = '=SUM(B2:B3)'
sheet.merge_cells('A5:C5')
book.create_sheet('Other')['A1'] = 'ünïcode'
book.save('sales.xlsx')
again = openpyxl.load_workbook('sales.xlsx')
print(again.sheetnames, again['Sales'].dimensions, again['Sales'].merged_cells.ranges)
for row in again['Sales'].iter_rows(min_row=1, max_row=4, values_only=True):
    print(row)
print(again['Sales']['A1'].font.bold, get_column_letter(703), again['Other']['A1'].value)
