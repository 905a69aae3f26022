// A file grows and shrinks by millions of zeros.
// ends: time limit
fs.writeFileSync('/a', 'x');
for (;;) {
  fs.truncateSync('/a', 5e6);
  fs.truncateSync('/a', 1);
}
