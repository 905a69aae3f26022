// Parentheses are nested deeper than the compiler can recurse.
// ends: exception
return new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5));
