const { PNG } = require('pngjs');
const png = new PNG({ width: 20, height: 10 });
for (let i = 0; i < png.data.length; i++) png.data[i] = (i * 7) % 256;
const bytes = PNG.sync.write(png);
const again = PNG.sync.read(bytes);
const parsed = await new Promise((resolve, reject) => new PNG().parse(bytes, (error, data) => (error ? reject(error)
  : resolve(data))));
const chunks = [];
await new Promise((resolve, reject) => png.pack().on('data', (chunk) => chunks.push(chunk)).on('end',
  resolve).on('error', reject));
return JSON.stringify([
  bytes.subarray(0, 8).toString('hex'), again.width, again.height, again.data.equals(png.data), parsed.data.length,
  PNG.sync.read(Buffer.concat(chunks)).data.equals(png.data),
]);
