// Blobs of blobs become twice as large each time, and are read.
// ends: memory limit or time limit or exception
let blob = new Blob(['x'.repeat(1000)]);
for (;;) {
  blob = new Blob([blob, blob]);
  if ((await blob.slice(0, 10).text()).length !== 10) break;
  if (blob.size > 1e8) await blob.text();
}
