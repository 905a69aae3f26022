// What is thrown is a text of ten million characters.
// ends: exception
throw 'x'.repeat(1e7);
