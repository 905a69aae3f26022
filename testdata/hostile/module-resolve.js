// Names of packages are looked for in all folders above one that is deep.
// ends: time limit
const deep = '/a'.repeat(25);
fs.writeFileSync(deep + '/main.js', `
  for (let i = 0; ; i++) {
    try {
      require.resolve('package' + i);
    } catch {}
  }`);
require(deep + '/main.js');
