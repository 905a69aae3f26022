// A stream of a file asks for gigabytes at once.
// ends: time limit or memory limit or exception
fs.writeFileSync('/file', 'x'.repeat(1e6));
for (let n = 0; ; n++) {
  const stream = fs.createReadStream('/file', {
    highWaterMark: [2 ** 31 - 1, 2 ** 40, 1e9, 1][n % 4], start: n % 7, end: [Infinity, 2 ** 53, 100][n % 3],
  });
  stream.on('error', () => {});
  for await (const chunk of stream) if (chunk.length < 5) break;
}
