// Coroutines that wait for ever, each in a cycle with what it waits for, are kept until the run ends: within its memory.
// ends: memory limit
for (;;) {
  (async () => {
    const gate = Promise.withResolvers();
    const data = new Uint8Array(1000);
    await gate.promise;
    return data.length;
  })();
}
