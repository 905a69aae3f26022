// The object process has what leads out of a program in Node.
// ends: returns nothing-reached
const reached = [];
for (const attempt of [
  () => process.binding('natives'), () => process._linkedBinding('fs'),
  () => process.dlopen({ exports: {} }, '/lib/libc.so'), () => process.kill(1, 9),
  () => process.kill(process.pid, 0), () => process.setuid(0), () => process.chdir('/proc'),
  () => process.mainModule.constructor._load('child_process'),
  () => process.getBuiltinModule('child_process').execSync('id'), () => process.constructor.constructor('return std')(),
  () => process.stdout.constructor.constructor('return os')(), () => require.main.require('child_process'),
  () => module.constructor._load('vm'),
]) {
  try {
    const got = attempt();
    reached.push(`${attempt}: ${got}`);
  } catch {}
}
const { env, pid } = process;
if (Object.values(env).some((value) => value.includes('/')) || pid !== 1) reached.push(JSON.stringify(env), pid);
return reached.join() || 'nothing-reached';
