// Error.prepareStackTrace gets at frames of the runtime's own functions, and at what they were called on.
// ends: returns nothing
const got = [];
Error.prepareStackTrace = (error, frames) => {
  for (const frame of frames) {
    for (const name of ['getThis', 'getFunction', 'getEvalOrigin']) {
      try {
        const value = frame[name]();
        if (value !== undefined && value !== null) got.push(name);
      } catch {}
    }
  }
  return '';
};
for (const attempt of [
  () => fs.readFileSync(5), () => new URL('x'), () => structuredClone(echo), () => console.log(new Error('x').stack),
]) {
  try {
    attempt();
  } catch (error) {
    String(error.stack);
  }
}
return got.length === 0 ? 'nothing' : got.join();
