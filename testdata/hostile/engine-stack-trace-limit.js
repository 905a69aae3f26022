// Errors have stacks of all that there is, thrown as deep as can be, with messages of megabytes.
// ends: time limit or memory limit or exception
Error.stackTraceLimit = 1e9;
const message = 'x'.repeat(5e6);
const deep = (n) => {
  try {
    return n > 0 ? deep(n - 1) : new Error(message).stack.length;
  } finally {
    if (n % 100 === 0) new Error(message).stack;
  }
};
for (let n = 100; ; n += 100) {
  try {
    deep(n);
  } catch (error) {
    error.stack;
  }
}
