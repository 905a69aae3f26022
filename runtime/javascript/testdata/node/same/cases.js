// Upper and lower case of all letters, in blocks of 64 characters. Blocks without any are left out.
'use strict';
const out = {};
for (let block = 0; block < 0x1f000; block += 64) {
  if (block >= 0xd800 && block < 0xe000) continue;
  const text = String.fromCodePoint.apply(null, Array.from({ length: 64 }, (_, i) => block + i));
  const upper = text.toUpperCase(), lower = text.toLowerCase();
  if (upper !== text || lower !== text) out[block.toString(16)] = `${upper} ${lower}`;
}
module.exports = out;
