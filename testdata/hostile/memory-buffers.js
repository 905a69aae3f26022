// Buffers of gigabytes are wanted, in every way.
// ends: memory limit or exception
const ways = [
  () => Buffer.alloc(2 ** 31), () => Buffer.allocUnsafe(4e9), () => Buffer.concat([Buffer.alloc(1)], 3e9),
  () => Buffer.from({ length: 2 ** 40 }), () => Buffer.alloc(3e9, 'ab'),
  () => Buffer.alloc(1e6).toString('hex').repeat(1000),
];
for (let n = 0; ; n++) {
  try {
    ways[n % ways.length]();
  } catch (error) {
    if (n > 100) throw error;
  }
}
