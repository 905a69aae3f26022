// An error that is made while a stack is formatted is formatted in the same way.
// ends: exception or returns function
Error.prepareStackTrace = () => new Error('inner').stack;
return typeof Error.prepareStackTrace + String(new Error('outer').stack).slice(0, 0);
