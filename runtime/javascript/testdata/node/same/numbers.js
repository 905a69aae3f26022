// Numbers in other bases than 10: the digits, of which the last ones depend on how they are found.
'use strict';
const out = {};
let seed = 7;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);
const view = new DataView(new ArrayBuffer(8));
const numbers = [0.1, 0.5, 255.5, 1 / 3, -0.000001, 1e21, 2 ** 53, 2 ** 53 + 2, 5e-324,
  1.7976931348623157e308, NaN, Infinity,
  -0, 0.9999999999999999, 3.999999999999999, -1.5, 123456789012345680000, 2 ** 31, -(2 ** 31) - 1];
for (const number of numbers) out[number] = [2, 3, 7, 8, 16, 36].map((radix) => number.toString(radix)).join(' ');
for (let i = 0; i < 400; i++) {
  view.setUint32(0, random());
  view.setUint32(4, random());
  const number = [
    view.getFloat64(0), random() / 2 ** 32, (random() % 100000) / 1000, -random() * (random() / 7),
  ][i % 4];
  const radix = 2 + (random() >>> 8) % 35;
  out[`${i}: ${number} ${radix}`] = number.toString(radix);
}
for (const radix of [1, 37, NaN]) {
  try { (0.5).toString(radix); } catch (e) { out[`radix ${radix}`] = e.name; }
}
module.exports = out;
