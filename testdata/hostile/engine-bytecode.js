// Bytes that look like the engine's compiled code are evaluated, imported and required.
// ends: returns nothing-reached
const bytes = new Uint8Array(200).map((_, i) => (i * 37 + 67) & 255);
bytes.set([67, 1, 2, 5]);
const text = String.fromCharCode(...bytes);
fs.writeFileSync('/a.js', bytes);
fs.writeFileSync('/a.qjsc', bytes);
const reached = [];
for (const load of [() => (0, eval)(text), () => new Function(text)(), () => import('/a.js'),
  () => import('/a.qjsc'), () => require('/a.js')]) {
  try {
    await load();
    reached.push(String(load));
  } catch {}
}
return reached.length === 0 ? 'nothing-reached' : reached.join();
