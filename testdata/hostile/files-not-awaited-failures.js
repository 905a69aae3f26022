// Thousands of operations fail without anybody to see it.
// ends: exception Error
for (let i = 0; i < 3000; i++) fs.unlink('/missing' + i);
return 'done';
