// A file is made as long as a number can say, without writing anything.
// ends: exception Error
fs.writeFileSync('/a', 'x');
for (let length = 2 ** 31; length >= 1; length /= 2) fs.truncateSync('/a', length - 1);
