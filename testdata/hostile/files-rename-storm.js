// Two names take turns for a directory with a thousand files.
// ends: time limit
for (let i = 0; i < 1000; i++) fs.writeFileSync('/a/f' + i, '');
for (;;) {
  fs.renameSync('/a', '/b');
  fs.renameSync('/b', '/a');
}
