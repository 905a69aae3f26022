// A function that is made of text makes itself and calls what it has made.
// ends: exception RangeError
globalThis.text = 'return new Function(text)()';
new Function(text)();
