const ExcelJS = require('exceljs');
const workbook = new ExcelJS.Workbook();
workbook.created = new Date(0);
const sheet = workbook.addWorksheet('Sales');
sheet.columns = [{ header: 'Id', key: 'id', width: 10 }, { header: 'Amount', key: 'amount',
  style: { numFmt: '#,##0.00' } }, { header: 'When', key: 'when' }];
sheet.addRow({ id: 1, amount: 12.5, when: new Date(Date.UTC(2024, 1, 3)) });
sheet.addRow([2, { formula: 'B2*2', result: 25 }]);
sheet.getRow(1).font = { bold: true };
sheet.mergeCells('A4:C4');
const buffer = await workbook.xlsx.writeBuffer();
const copy = new ExcelJS.Workbook();
await copy.xlsx.load(buffer);
const read = copy.getWorksheet('Sales');
const rows = [];
read.eachRow((row) => rows.push(row.values.slice(1)));
const csv = await copy.csv.writeBuffer();
return JSON.stringify([rows, read.getRow(1).font.bold, read.getCell('B2').numFmt, csv.toString()]);
