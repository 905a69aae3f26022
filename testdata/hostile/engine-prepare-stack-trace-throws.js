// Preparing a stack throws errors, whose stacks are prepared, in stacks of promises.
// ends: time limit or memory limit or exception
Error.prepareStackTrace = (error, frames) => {
  frames.forEach((frame) => frame.toString());
  throw new Error(String(error.message) + frames.length, { cause: error });
};
const again = async (n) => {
  try {
    await null;
    throw new Error('x');
  } catch (error) {
    try {
      error.stack;
    } catch {
      return again(n + 1);
    }
    return again(n + 1);
  }
};
await again(0);
