// Conditions are chained with question marks, each a jump over all that follow.
// ends: exception or time limit or memory limit or returns 0
return eval('1 ? 0 : '.repeat(1e5) + '2');
