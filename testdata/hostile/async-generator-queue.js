// Hundreds of thousands of requests wait in the queue of an async generator that does not answer the first.
// ends: memory limit or time limit
async function* stuck() {
  await new Promise(() => {});
}
const generator = stuck();
for (;;) generator.next();
