// A function of the host panics, and each panic is caught as an error.
// ends: time limit
for (;;) {
  try {
    panics();
  } catch {}
}
