// Compiles sets of as many members, differences and strings as there can be.
// ends: time limit
const long = [
  '[' + 'a'.repeat(1000000) + ']', '[' + 'a--'.repeat(300000) + 'b]',
  '['.repeat(900) + 'a'.repeat(1000000) + ']'.repeat(900),
  '[\\q{' + Array.from({ length: 1900 }, (_, i) => 'x' + i).join('|') + '}]', '\\u{'.repeat(300000) + '}',
];
for (let n = 0; ; n++) {
  try {
    new RegExp(long[n % long.length], 'v');
  } catch {
    continue;
  }
}
