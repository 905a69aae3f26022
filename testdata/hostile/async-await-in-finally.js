// Each way out of an async function waits for the function itself.
// ends: time limit or memory limit or exception
async function again() {
  try {
    await 1;
    return 2;
  } finally {
    await Promise.all([again(), again()]);
  }
}
await again();
