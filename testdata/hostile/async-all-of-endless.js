// Promise.all takes its promises from an iterator that does not end.
// ends: time limit or memory limit
function* promises() {
  for (;;) yield 1;
}
await Promise.all(promises());
