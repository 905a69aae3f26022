// The conditions of a package make a tree, none of whose leaves is right.
// ends: time limit
let conditions = null;
for (let i = 0; i < 15; i++) conditions = [{ default: conditions }, { browser: conditions }];
fs.writeFileSync('/lib/node_modules/p/package.json', JSON.stringify({ name: 'p', exports: { '.': conditions } }));
for (;;) {
  try {
    require.resolve('p');
  } catch {}
}
