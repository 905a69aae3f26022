// Parentheses are nested a million times, and the parser recurses.
// ends: exception
eval('('.repeat(1e6));
