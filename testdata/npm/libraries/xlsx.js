const XLSX = require('xlsx');
const book = XLSX.utils.book_new();
const sheet = XLSX.utils.json_to_sheet([{ City: 'Oslo', People: 709037, Founded: '1040' },
  { City: 'Lima', People: 10092000, Founded: '1535' }]);
sheet.C2 = { t: 'n', v: 1418074, f: 'B2*2' };
XLSX.utils.book_append_sheet(book, sheet, 'Cities');
const bytes = XLSX.write(book, { type: 'buffer', bookType: 'xlsx' });
const again = XLSX.read(bytes);
XLSX.writeFile(book, '/tmp/toolrun-cities.xlsx');
const file = XLSX.readFile('/tmp/toolrun-cities.xlsx');
return JSON.stringify([
  Buffer.isBuffer(bytes), again.SheetNames, XLSX.utils.sheet_to_json(again.Sheets.Cities),
  XLSX.utils.sheet_to_csv(file.Sheets.Cities),
  again.Sheets.Cities.C2.f, XLSX.read('a,b\n1,2024-02-03', { type: 'string', cellDates: true }).Sheets.Sheet1.B2.t,
]);
