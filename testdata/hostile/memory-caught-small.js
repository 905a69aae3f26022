// Memory is full, and the refusal of each small object is caught.
// ends: memory limit
const kept = [];
for (;;) {
  try {
    for (;;) kept.push({ kept: kept.length });
  } catch {}
}
