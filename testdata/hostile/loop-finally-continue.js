// A continue in finally cancels every way out of the loop, return and throw included.
// ends: time limit
for (;;) {
  try {
    return 'out';
  } finally {
    continue;
  }
}
