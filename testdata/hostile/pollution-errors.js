// The constructors of errors are replaced, and the prototype of all errors has setters.
// ends: returns ENOENT,SyntaxError,InvalidCharacterError
for (const name of ['name', 'message', 'code', 'path', 'stack']) {
  Object.defineProperty(Error.prototype, name, {
    set() {
      throw 1;
    },
    get: () => 'polluted',
    configurable: true,
  });
}
globalThis.Error = globalThis.TypeError = globalThis.RangeError = () => {
  throw 2;
};
const names = [];
try {
  fs.readFileSync('/missing');
} catch (error) {
  names[0] = error.code;
}
try {
  JSON.parse('{');
} catch (error) {
  names[1] = error instanceof SyntaxError ? 'SyntaxError' : error;
}
try {
  atob('*');
} catch (error) {
  names[2] = error.name;
}
return names.join();
