// Functions are nested in one another, each with a variable that the innermost one uses.
// ends: memory limit
return new Function('function f(a) {'.repeat(3000) + 'return a' + '}'.repeat(3000));
