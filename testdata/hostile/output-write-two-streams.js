// Halves of lines go to two streams by turns.
// ends: time limit
for (;;) {
  process.stdout.write('out');
  process.stderr.write('err');
}
