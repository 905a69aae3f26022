// Thousands of patterns with stars are compared with what is asked for.
// ends: time limit or exception
const exports = {};
for (let i = 0; i < 3000; i++) exports[`./${'a'.repeat(i % 300)}*${'a'.repeat(i % 200)}${i}`] = './index.js';
fs.writeFileSync('/lib/node_modules/p/package.json', JSON.stringify({ name: 'p', exports }));
fs.writeFileSync('/lib/node_modules/p/index.js', '');
for (let i = 0; ; i++) {
  try {
    require.resolve('p/' + 'a'.repeat(3000) + i);
  } catch {}
}
