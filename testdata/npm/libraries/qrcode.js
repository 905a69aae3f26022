const QRCode = require('qrcode');
const url = await QRCode.toDataURL('https://example.org', { errorCorrectionLevel: 'H' });
return JSON.stringify([
  await QRCode.toString('Hello', { type: 'utf8' }), (await QRCode.toString('x', { type: 'svg' })).length,
  url.slice(0, 22), QRCode.create('12345').modules.size,
  (await QRCode.toBuffer('b')).subarray(1, 4).toString(),
]);
