// A name is ten million characters long.
// ends: memory limit or exception or time limit
return eval('let ' + 'x'.repeat(1e7) + ' = 1');
