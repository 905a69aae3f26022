// Each level of a deep recursion has a finally block that goes just as deep.
// ends: time limit
function down(n) {
  try {
    return n === 0 ? 0 : down(n - 1);
  } finally {
    if (n % 100 === 0) deepEnough(3000);
  }
}
const deepEnough = (n) => (n === 0 ? 0 : deepEnough(n - 1) + 1);
for (;;) {
  try {
    down(4000);
  } catch {}
}
