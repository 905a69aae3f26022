// What the driver uses is taken before the test can replace it.
const { emit, harness, script, module } = test262;
delete globalThis.test262;
const { evalScript, gc } = await import('qjs:std');
const { defineProperty } = Reflect;
const then = Function.prototype.call.bind(Promise.prototype.then);
const { String } = globalThis;
globalThis.process?.on('unhandledRejection', () => {}); // tests may leave rejections alone

const define = (name, value) => {
  defineProperty(globalThis, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
};
define('print', function print(text) { emit('print ' + String(text)); });
define('$262', {
  evalScript(source) { return evalScript(source); },
  gc() { gc(); },
  global: globalThis,
});

const describe = (error) => {
  let name = typeof error;
  let text = '?';
  try {
    if ((name === 'object' && error !== null) || name === 'function') name = String(error.constructor.name);
  } catch { /* it has none */ }
  try {
    text = String(error);
  } catch { /* it cannot be read */ }
  return name + ' ' + text;
};

const run = () => {
  for (let i = 0; i < harness.length; i++) {
    try {
      evalScript(harness[i]);
    } catch (error) {
      emit('broken ' + describe(error));
      return;
    }
  }
  if (module !== '') {
    then(import(module), () => { emit('ran'); }, (error) => { emit('threw ' + describe(error)); });
    return;
  }
  try {
    evalScript(script);
  } catch (error) {
    emit('threw ' + describe(error));
    return;
  }
  emit('ran');
};
run();
