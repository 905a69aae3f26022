// An async function waits for itself, with one more call on the heap each time.
// ends: memory limit or time limit or exception
const again = async (n) => {
  await 0;
  return (await again(n + 1)) + 1;
};
await again(0);
