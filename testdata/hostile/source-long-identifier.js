// Names are ten million characters long.
// ends: time limit or memory limit
for (let i = 0; ; i++) eval('let ' + 'x'.repeat(1e7) + i + ' = 1');
