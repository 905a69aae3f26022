// Options are proxies and getters that change the files which the operation is about.
// ends: returns g
fs.writeFileSync('/f', 'x');
await fs.rm('/f', {
  get recursive() {
    fs.writeFileSync('/g', '');
    return true;
  },
});
try {
  await fs.rm('/g', new Proxy({}, { get() { throw new Error('mine'); } }));
} catch {}
return fs.readdirSync('/').join();
