// timers: what timers say of themselves, warnings, and the functions that Node has deprecated.
'use strict';
const timers = require('timers');
const { inspect } = require('util');

const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};

module.exports = (async () => {
  const warnings = [];
  const onWarning = (warning) => { warnings.push(`${warning.name} ${warning.code}: ${warning.message}`); };
  const { noWarnings } = process;
  process.on('warning', onWarning);

  await answer('ended', async () => {
    const ran = setTimeout(() => {}, 1);
    const stopped = setTimeout(() => {}, 1);
    const repeated = setInterval(() => {}, 1);
    const soon = setImmediate(() => {});
    const before = [ran._destroyed, stopped._destroyed, repeated._destroyed, soon._destroyed];
    clearTimeout(stopped);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
    const after = [ran._destroyed, stopped._destroyed, repeated._destroyed, soon._destroyed];
    repeated.close();
    return [before, after, repeated._destroyed];
  });
  await answer('disposed of', () => {
    const all = [setTimeout(() => {}, 10), setInterval(() => {}, 10), setImmediate(() => {})];
    for (const timer of all) timer[Symbol.dispose]();
    return all.map((timer) => timer._destroyed);
  });
  for (const value of [{}, 'foo', -1, Infinity, NaN])
    await answer(`enroll for ${inspect(value)}`, () => timers.enroll({}, value));
  await answer('objects', async () => {
    const got = [];
    const item = { _onTimeout() { got.push(this === item); } };
    timers.enroll(item, 1);
    timers.active(item);
    const never = { _onTimeout() { got.push('never'); } };
    timers.enroll(never, 1);
    timers.active(never);
    timers.unenroll(never);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
    return [got, item._idleTimeout, never._idleTimeout, Number.isInteger(item._idleStart)];
  });
  await answer('too long', async () => {
    clearTimeout(setTimeout(() => {}, 2 ** 31));
    clearInterval(setInterval(() => {}, 1e12));
    timers.enroll({}, 2 ** 31);
    await new Promise((resolve) => { setTimeout(resolve, 1); });
    return warnings.splice(0);
  });
  process.removeListener('warning', onWarning);
  process.noWarnings = noWarnings;
  return answers;
})();
