// The script waits for what nobody can ever resolve.
// ends: never settles
await new Promise(() => {});
