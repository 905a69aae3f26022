// The arguments of a DataView's methods shrink its buffer before they are used.
// ends: returns ok
for (const name of Object.getOwnPropertyNames(DataView.prototype).filter(
  (n) => n.startsWith('set') || n.startsWith('get'))) {
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const view = new DataView(buffer);
  const evil = {
    valueOf() {
      buffer.resize(1);
      return name.includes('Big') ? 1n : 8;
    },
  };
  for (const args of [[8, evil], [evil, 1n], [evil, 1], [evil, evil]]) {
    try {
      view[name](...args);
    } catch {}
  }
}
return 'ok';
