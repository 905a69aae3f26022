// Paths lead to where a project keeps its lock and its history.
// ends: returns nothing
const reached = [];
for (const path of ['/.toolrun', '/.toolrun/lock', '/.TOOLRUN/settings.json', '/a/../.toolrun/history',
  '/.toolrun./x', '/.toolrun\u200d/x'.normalize('NFD')]) {
  for (const attempt of [() => fs.readdirSync(path), () => fs.readFileSync(path),
    () => fs.rmSync(path, { recursive: true }), () => fs.renameSync(path, '/got')]) {
    try {
      attempt();
      reached.push(path);
    } catch {}
  }
}
return reached.length === 0 ? 'nothing' : reached;
