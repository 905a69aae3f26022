// An async generator is asked to return, and yields instead, each time.
// ends: time limit
async function* stubborn() {
  for (;;) {
    try {
      yield 1;
    } finally {
      continue;
    }
  }
}
const generator = stubborn();
await generator.next();
for (;;) await generator.return(2);
