// A finally block needs memory when there is none left.
// ends: memory limit
let kept = null;
try {
  for (;;) kept = [kept];
} finally {
  console.log('x'.repeat(1e6));
  kept = [kept, new Array(1e6).fill(0)];
}
