// A function has more parameters than it can have.
// ends: exception SyntaxError
return new Function('a,'.repeat(7e4) + 'b', '');
