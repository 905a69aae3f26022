// The root is removed, moved and written to as if it were a file.
// ends: returns 4 refused
let refused = 0;
for (const attempt of [
  () => fs.rmdirSync('/'), () => fs.renameSync('/', '/a'), () => fs.writeFileSync('/', 'x'), () => fs.unlinkSync('/'),
]) {
  try {
    attempt();
  } catch {
    refused++;
  }
}
fs.writeFileSync('/still', 'there');
return refused + ' refused';
