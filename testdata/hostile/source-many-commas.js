// A million expressions are joined by operators to one, which is all on the stack if the compiler wants it so.
// ends: exception or time limit or memory limit or returns 1000001
return eval('1' + '+1'.repeat(1e6));
