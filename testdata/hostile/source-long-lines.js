// An error stands at the end of millions of lines, whose number has to be found.
// ends: time limit
const text = '\n'.repeat(5e6) + 'null.x';
for (;;) {
  try {
    (0, eval)(text);
  } catch {}
}
