// Names have zeros, line ends, halves of characters, and characters that mean something on another system.
// ends: returns 0 kept
let kept = 0;
for (const name of ['a\0b', 'a\nb', 'con', 'nul.txt', 'a:b', 'a|b', 'a*', 'a?', 'a.',
  'a ', '..', '.', '', ' ', '\ud800'.repeat(300), 'x'.repeat(5000)]) {
  const before = fs.readdirSync('/').length;
  try {
    fs.writeFileSync('/d/' + name, 'x');
  } catch {}
  fs.rmSync('/d', { recursive: true, force: true });
  kept += fs.readdirSync('/').length - before;
}
return kept + ' kept';
