// Freeing a linked list recurses, where an engine is careless, once for each of hundreds of thousands of elements.
// ends: time limit or memory limit
for (;;) {
  let list = null;
  for (let i = 0; i < 3e5; i++) list = { next: list };
}
