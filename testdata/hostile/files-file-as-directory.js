// A file is used as a directory, and a directory as a file, in the middle of paths.
// ends: returns ok
fs.writeFileSync('/a', 'x');
fs.mkdirSync('/d');
let wrong = 'ok';
for (const attempt of [
  () => fs.writeFileSync('/a/b', 'y'), () => fs.mkdirSync('/a/b/c', { recursive: true }), () => fs.readFileSync('/d'),
    () => fs.copyFileSync('/a', '/a/b'), () => fs.readdirSync('/a'), () => fs.renameSync('/d', '/a'),
]) {
  try {
    attempt();
    wrong = String(attempt);
  } catch {}
}
return fs.readFileSync('/a', 'utf8') === 'x' ? wrong : 'changed';
