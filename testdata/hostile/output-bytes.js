// Large buffers and views of all kinds are shown.
// ends: time limit
const buffer = new ArrayBuffer(2e7);
for (;;) console.log(buffer, new Float64Array(buffer), new DataView(buffer), [new BigUint64Array(buffer)]);
