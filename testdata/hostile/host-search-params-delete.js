// Parameters are deleted while they are gone through.
// ends: time limit
for (;;) {
  const params = new URLSearchParams('a=1&b=2&'.repeat(2000));
  for (const [name] of params) params.delete(name);
  params.has('a');
}
