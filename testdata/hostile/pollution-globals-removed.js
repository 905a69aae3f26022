// Every global that can be removed is removed.
// ends: returns fine
const kept = console;
for (const name of Object.getOwnPropertyNames(globalThis)) {
  try {
    delete globalThis[name];
  } catch {}
}
kept.log({ a: [1] });
return 'fine';
