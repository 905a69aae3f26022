const { PDFDocument, StandardFonts, rgb, degrees } = require('pdf-lib');
const doc = await PDFDocument.create();
const font = await doc.embedFont(StandardFonts.TimesRoman);
const page = doc.addPage([300, 200]);
page.drawText('Hello, wörld', { x: 20, y: 150, size: 24, font, color: rgb(0, 0.5, 0.7), rotate: degrees(5) });
doc.getForm().createTextField('name').addToPage(page, { x: 20, y: 50 });
doc.setCreationDate(new Date(0));
doc.setModificationDate(new Date(0));
const bytes = await doc.save();
const again = await PDFDocument.load(bytes);
again.getForm().getTextField('name').setText('Ann');
const [copy] = await doc.copyPages(again, [0]);
doc.addPage(copy);
return JSON.stringify([
  bytes.length > 1000, again.getPageCount(), again.getPage(0).getSize(), again.getForm().getTextField('name').getText(),
  font.widthOfTextAtSize('Hello', 10),
  (await doc.saveAsBase64()).startsWith('JVBERi'),
]);
