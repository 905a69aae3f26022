// Decodes a large buffer in each encoding in which a byte can be a character of several bytes.
// ends: returns 20 or memory limit
// grows: 128 MiB
const names = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1251', 'ibm866', 'koi8-r',
  'macintosh', 'iso-8859-2', 'windows-874', 'x-mac-cyrillic',
  'shift_jis', 'euc-jp', 'iso-2022-jp', 'gbk', 'gb18030', 'big5', 'euc-kr', 'windows-1252',
    'x-user-defined', 'iso-8859-16'];
const bytes = new Uint8Array(2e6).fill(0xf0);
let decoded = 0;
for (const name of names) {
  try { new TextDecoder(name).decode(bytes); } catch (e) { if (!(e instanceof RangeError)) throw e; }
  decoded++;
}
return decoded;
