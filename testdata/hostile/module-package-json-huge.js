// The description of a package is as large as a file can be, and read whenever something is asked of it.
// ends: time limit or exception
fs.writeFileSync('/lib/node_modules/p/package.json',
  '{"name":"p","main":"./missing.js","x":[' + '0,'.repeat(1e6) + '0]}');
for (let i = 0; ; i++) {
  try {
    require.resolve('p/' + i);
  } catch {}
}
