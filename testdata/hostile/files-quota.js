// Files are written until the project has no room for more.
// ends: exception Error
const bytes = new Uint8Array(2e7);
for (let i = 0; ; i++) fs.writeFileSync('/f' + i, bytes);
