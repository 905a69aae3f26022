// Small cycles, which cost the collector more than they weigh.
// ends: time limit
for (let i = 0; ; i++) {
  const a = { i };
  a.b = { a };
}
