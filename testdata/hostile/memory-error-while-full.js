// What is thrown when memory is full cannot be made for want of memory.
// ends: memory limit
let kept = null;
for (;;) kept = { kept, a: 1 };
