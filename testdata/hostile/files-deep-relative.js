// A path goes up and down thousands of times, and ends where it began.
// ends: time limit
fs.mkdirSync('/a');
for (;;) {
  try {
    fs.statSync('/a' + '/../a/.'.repeat(500));
  } catch {}
}
