// Async functions, generators and callbacks of the host end in one another while exceptions fly.
// ends: returns ok
const spin = async (n) => {
  try {
    await later(n);
    if (n > 0) await spin(n - 1);
    throw new Error('end');
  } finally {
    await fs.promises.readFile('/missing').catch(() => {});
  }
};
await Promise.allSettled(Array.from({ length: 20 }, () => spin(20)));
return 'ok';
