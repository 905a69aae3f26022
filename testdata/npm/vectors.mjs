// Makes the cases of the encoding suites in runtime, with answers of other implementations: abab for base64,
// whatwg-encoding for the labels and the encodings of single bytes, Node.js itself for the Unicode encodings. Usage:
// node vectors.mjs DIRECTORY, where the two packages are installed in DIRECTORY/node_modules.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const dir = resolve(process.argv[2]);
const require = createRequire(join(dir, 'package.json'));
const { atob } = require('abab');
const whatwg = require('whatwg-encoding');
const write = (name, value) => writeFileSync(join(dir, name), JSON.stringify(value));

// sequences returns all lists of up to n of the given items.
const sequences = (items, n) => {
  const all = [[]];
  for (let from = 0; n > 0; n--) {
    const to = all.length;
    for (; from < to; from++) for (const item of items) all.push([...all[from], item]);
  }
  return all;
};

const base64 = [];
for (const list of sequences(['A', 'b', '/', '=', ' ', '\n', '-', '\u00a0', '\0'], 5)) {
  const input = list.join('');
  const output = atob(input);
  base64.push([input, output === null ? null : Array.from(output, (c) => c.charCodeAt(0))]);
}
write('base64.json', base64);

write('labels.json', require('whatwg-encoding/lib/labels-to-names.json'));

const decoding = {};
const add = (encoding, bytes, decode) => {
  const buffer = Buffer.from(bytes);
  const text = decode(buffer);
  (decoding[encoding] ??= []).push([buffer.toString('hex'), text, valid(encoding, buffer, text)]);
};
const valid = (encoding, buffer, text) => {
  if (!encoding.startsWith('utf')) return !text.includes('\ufffd');
  try {
    new TextDecoder(encoding, { fatal: true }).decode(buffer);
    return true;
  } catch {
    return false;
  }
};

// The bytes where something changes in the tables of well-formed UTF-8.
const edges = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbb, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0,
  0xf1, 0xf4, 0xf5, 0xff];
const utf8 = new TextDecoder();
for (const bytes of sequences(edges, 3)) add('utf-8', bytes, (b) => utf8.decode(b));
for (const first of [0xe0, 0xed, 0xef, 0xf0, 0xf3, 0xf4]) {
  for (const rest of sequences([0x41, 0x80, 0x8f, 0x90, 0x9f, 0xbb, 0xbf, 0xf0], 4)) {
    if (rest.length === 4) add('utf-8', [first, ...rest], (b) => utf8.decode(b));
  }
}
for (const encoding of ['utf-16le', 'utf-16be']) {
  const decoder = new TextDecoder(encoding);
  for (const bytes of sequences([0x00, 0x41, 0xd8, 0xdc, 0xfe, 0xff], 5)) add(encoding, bytes,
    (b) => decoder.decode(b));
}
for (const name of require('whatwg-encoding/lib/supported-names.json')) {
  if (/^(utf|gb|big5|euc|iso-2022|shift|replacement)/i.test(name)) continue;
  for (let byte = 0; byte < 256; byte++) {
    add(name.toLowerCase(), [byte], (b) => {
      const text = whatwg.decode(b, name);
      // The standard's indexes have the control characters that these tables leave out.
      return /^windows/i.test(name) && byte >= 0x80 && byte < 0xa0 && text === '\ufffd'
        ? String.fromCharCode(byte) : text;
    });
  }
}
write('decoding.json', decoding);
