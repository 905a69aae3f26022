// A file is copied over and over, so that the content costs nothing to make.
// ends: exception Error
fs.writeFileSync('/a', new Uint8Array(2e7));
for (let i = 0; ; i++) fs.copyFileSync('/a', '/copy' + i);
