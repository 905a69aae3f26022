// Array literals are nested a hundred thousand times, and the parser recurses.
// ends: exception
return eval('['.repeat(1e5) + ']'.repeat(1e5));
