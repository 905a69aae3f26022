// Empty files are made without an end, which cost no quota of bytes.
// ends: time limit or exception Error
for (let i = 0; ; i++) fs.writeFileSync('/f' + i, '');
