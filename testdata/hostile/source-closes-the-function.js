// The script tries to end the function that it is put into, so that what follows would run outside of it.
// ends: exception SyntaxError
globalThis.outside = false;
} globalThis.outside = true; for (;;) {} async function () {
