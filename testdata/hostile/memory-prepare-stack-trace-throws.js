// The same, where formatting throws.
// ends: memory limit
Error.prepareStackTrace = () => {
  throw 1;
};
const kept = [];
for (;;) kept.push(crypto.getRandomValues(new Uint8Array(60000)));
