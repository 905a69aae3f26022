// A function of the host fails, and each failure is caught.
// ends: time limit
for (;;) {
  try {
    fails();
  } catch {}
}
