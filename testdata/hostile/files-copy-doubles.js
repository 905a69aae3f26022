// A directory is copied beside itself, and both into a third, so that there are twice as many files in each turn.
// ends: time limit or exception Error
fs.writeFileSync('/t/a', '');
for (let i = 0; ; i++) {
  fs.cpSync('/t', '/u/' + i, { recursive: true });
  fs.cpSync('/u/' + i, '/t/' + i, { recursive: true });
}
