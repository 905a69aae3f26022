// A file throws whenever it is required, and is tried again.
// ends: time limit
fs.writeFileSync('/a.js', 'exports.x = null.x;');
for (;;) {
  try {
    require('/a.js');
  } catch {}
}
