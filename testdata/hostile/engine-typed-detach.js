// Buffers are detached by all that can detach them, under views that are in use.
// ends: returns nothing-detached
const buffer = new ArrayBuffer(64);
const view = new Uint8Array(buffer).fill(7);
const ways = [
  () => buffer.transfer(), () => buffer.transferToFixedLength(), () => structuredClone(buffer, { transfer: [buffer] }),
];
for (const way of ways) {
  try {
    way();
  } catch {}
}
return view.length === 64 && view[63] === 7 ? 'nothing-detached' : view.length === 0 && view[0] === undefined
  ? 'nothing-detached' : 'freed';
