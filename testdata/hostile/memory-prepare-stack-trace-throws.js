// The script throws while it formats the stack of the error that says that memory is full.
// ends: memory limit
Error.prepareStackTrace = () => {
  throw 1;
};
const kept = [];
for (;;) kept.push(crypto.getRandomValues(new Uint8Array(60000)));
