// Thousands of writes are started and nobody waits for them before the script returns.
// ends: returns done
for (let i = 0; i < 2000; i++) fs.writeFile('/f' + i, 'x');
return 'done';
