// A ring of hundreds of thousands of objects is found by the collector, which has to mark along it.
// ends: time limit or memory limit
for (;;) {
  const first = {};
  let last = first;
  for (let i = 0; i < 2e5; i++) last = last.next = {};
  last.next = first;
}
