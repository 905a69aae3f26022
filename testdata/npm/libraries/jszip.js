const JSZip = require('jszip');
const zip = new JSZip();
zip.file('a.txt', 'Hello '.repeat(100), { date: new Date(0) });
zip.folder('d').file('b.bin', new Uint8Array([1, 2, 3]));
const bytes = await zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE', compressionOptions: { level: 9 } });
const again = await JSZip.loadAsync(bytes);
const streamed = [];
const stream = zip.generateNodeStream({ streamFiles: true }).on('data', (chunk) => streamed.push(chunk));
await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
return JSON.stringify([
  bytes.length, Object.keys(again.files), (await again.file('a.txt').async('text')).length,
  [...await again.file('d/b.bin').async('uint8array')],
  Buffer.concat(streamed).length, await JSZip.loadAsync(Buffer.from('nope')).catch((error) =>
    error.message.slice(0, 40)),
]);
