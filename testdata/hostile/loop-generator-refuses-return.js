// A break asks a generator to end, and its finally block yields for ever instead.
// ends: time limit
function* stubborn() {
  try {
    yield 1;
  } finally {
    for (;;) {}
  }
}
for (const value of stubborn()) break;
