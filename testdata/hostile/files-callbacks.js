// Callbacks of fs start the next operation, and throw.
// ends: exception Error
const again = () => {
  fs.stat('/a', again);
  throw new Error('in a callback');
};
fs.stat('/a', again);
await new Promise(() => {});
