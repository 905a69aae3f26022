// The script formats the stack of the error that says that memory is full, and takes more memory for it.
// ends: memory limit or time limit
Error.prepareStackTrace = () => {
  console.log('x');
  crypto.randomUUID();
  return '';
};
const kept = [];
for (;;) kept.push(crypto.randomUUID() + kept.length);
