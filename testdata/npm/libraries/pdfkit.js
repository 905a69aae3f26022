const PDFDocument = require('pdfkit');
const doc = new PDFDocument({ size: 'A5', info: { CreationDate: new Date(0) }, compress: false });
const chunks = [];
doc.on('data', (chunk) => chunks.push(chunk));
const ended = new Promise((resolve) => doc.on('end', resolve));
doc.fontSize(20).text('Invoice 7', 60, 60).font('Courier').fontSize(10).text('Lorem ipsum '.repeat(30),
  { width: 200, align: 'justify' });
doc.rect(60, 400, 100, 50).fillAndStroke('#ccddee', 'navy');
doc.addPage().text('Second page');
doc.end();
await ended;
const pdf = Buffer.concat(chunks).toString('latin1').replace(/\/ID \[[^\]]*\]/, '');
return JSON.stringify([pdf.length, pdf.match(/\/Type \/Page\b/g), pdf.slice(0, 8), doc.widthOfString('abc')]);
