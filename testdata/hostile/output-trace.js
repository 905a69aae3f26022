// Traces are written from deep in a recursion.
// ends: time limit
const deep = (n) => (n === 0 ? console.trace('here') : deep(n - 1));
Error.stackTraceLimit = Infinity;
for (;;) deep(2000);
