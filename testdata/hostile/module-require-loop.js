// A file that is required never gets to its end.
// ends: time limit
fs.writeFileSync('/a.js', 'exports.x = 1; for (;;) {}');
require('/a.js');
