// The object process has what leads out of a program in Node.
// ends: returns nothing-reached
const reached = ['binding', 'dlopen', '_linkedBinding', 'mainModule', 'kill', 'chdir', 'setuid', 'getBuiltinModule', 'report', 'execPath', 'pid'].filter((name) => name in process);
for (const attempt of [() => process.constructor.constructor('return std')(), () => process.stdout.constructor.constructor('return os')(), () => require.main.require('os'), () => module.constructor._load('child_process')]) {
  try {
    attempt();
    reached.push(String(attempt));
  } catch {}
}
return reached.length === 0 ? 'nothing-reached' : reached.join();
