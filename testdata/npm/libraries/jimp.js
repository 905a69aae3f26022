const { Jimp, intToRGBA } = require('jimp');
const image = new Jimp({ width: 40, height: 30, color: 0xff0000ff });
image.setPixelColor(0x00ff00ff, 3, 4).resize({ w: 20 }).greyscale().rotate(90);
const png = await image.getBuffer('image/png');
await image.write('/tmp/toolrun-image.png');
const again = await Jimp.read('/tmp/toolrun-image.png');
const jpeg = await Jimp.read(await again.getBuffer('image/jpeg', { quality: 80 }));
return JSON.stringify([
  image.width, image.height, png.subarray(1, 4).toString(), intToRGBA(again.getPixelColor(10, 10)), jpeg.width,
  again.clone().crop({ x: 1, y: 1, w: 5, h: 6 }).bitmap.data.length,
]);
