// The same with array literals, which the compiler goes through a second time.
// ends: exception
return eval('['.repeat(1e5) + ']'.repeat(1e5));
