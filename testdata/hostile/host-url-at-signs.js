// Each of thousands of at signs could end the name of the user.
// ends: time limit
for (;;) {
  try {
    new URL('http://' + '@'.repeat(8000));
  } catch {}
}
