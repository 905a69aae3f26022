// The exports of a package lead to each other, in conditions and patterns, without an end.
// ends: returns true
fs.mkdirSync('/node_modules/p', { recursive: true });
const nested = (n) => (n === 0 ? './missing.js' : { node: nested(n - 1), default: nested(n - 1) });
fs.writeFileSync('/node_modules/p/package.json', JSON.stringify({
  name: 'p', imports: { '#a': '#b', '#b': ['#a', '#b'], '#c': nested(7) },
  exports: { './*': './*/*', './a/*/*': ['./*', './*'], '.': nested(7) },
}));
fs.writeFileSync('/node_modules/p/index.js', "exports.a = () => require('#a'); exports.c = () => require('#c')");
let failed = 0;
for (const name of ['p', 'p/a', 'p/a/' + 'x/'.repeat(200), 'p/' + '*/'.repeat(100)])
  try { require(name); } catch { failed++; }
for (const f of ['a', 'c']) try { require('/node_modules/p/index.js')[f](); } catch { failed++; }
return failed > 4;
