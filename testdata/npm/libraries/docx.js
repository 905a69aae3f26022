const { Document, Packer, Paragraph, TextRun, HeadingLevel, Table, TableRow, TableCell } = require('docx');
const JSZip = require('jszip');
const doc = new Document({
  sections: [{
    children: [
      new Paragraph({ text: 'Report', heading: HeadingLevel.HEADING_1 }),
      new Paragraph({ children: [new TextRun({ text: 'Bold', bold: true }), new TextRun(' & plain')] }),
      new Table({ rows: [new TableRow({ children: [new TableCell({ children: [new Paragraph('cell')] })] })] }),
    ],
  }],
});
const buffer = await Packer.toBuffer(doc);
const zip = await JSZip.loadAsync(buffer);
return JSON.stringify([Buffer.isBuffer(buffer), Object.keys(zip.files).sort(),
  await zip.file('word/document.xml').async('string')]);
