const _task = JSON.parse(Buffer.from(_toolrunTask, 'base64').toString());
const _write = process.stdout.write.bind(process.stdout);
const _put = (kind) => (data, encoding, done) => {
  const bytes = Buffer.from(data, typeof encoding === 'string' ? encoding : undefined);
  for (let at = 0; at < bytes.length; at += 49152) {
    _write(_task.key + kind + bytes.subarray(at, at + 49152).toString('base64') + '\n');
  }
  const then = typeof encoding === 'function' ? encoding : done;
  if (then) then();
  return true;
};
process.stdout.write = _put('o');
process.stderr.write = _put('e');
globalThis.console = new (require('console').Console)({stdout: process.stdout, stderr: process.stderr});
process.on('exit', (status) => _write(_task.key + 'x' + status + '\n'));
if (_task.dir !== '/') { // the working directory is / here: paths are made absolute
  process.cwd = () => _task.dir;
  const absolute = (x) => typeof x === 'string' && x[0] !== '/' ? _task.dir + '/' + x : x;
  for (const fs of [require('fs'), require('fs').promises]) {
    for (const [name, f] of Object.entries(fs)) {
      if (typeof f !== 'function' || /^[A-Z_]/.test(name)) continue;
      const both = /^(rename|copyFile|cp|link)/.test(name);
      fs[name] = (a, b, ...rest) => f(absolute(a), both ? absolute(b) : b, ...rest);
    }
  }
}
process.argv = ['/usr/bin/node', ..._task.args];
for (const entry of _task.env) process.env[entry.slice(0, entry.indexOf('='))] = entry.slice(entry.indexOf('=') + 1);
{
  const {Readable} = require('stream'), fs = require('fs'), input = Buffer.from(_task.stdin || '', 'base64');
  const stdin = Readable.from(input.length ? [input] : [], {objectMode: false});
  stdin.fd = 0;
  Object.defineProperty(process, 'stdin', {value: stdin, configurable: true});
  const read = fs.readFileSync;
  fs.readFileSync = (name, options) => {
    if (name !== 0 && name !== '/dev/stdin') return read(name, options);
    const encoding = typeof options === 'string' ? options : options && options.encoding;
    return encoding ? input.toString(encoding) : input;
  };
}
globalThis.require = require;
const _fail = (e) => {
  process.stderr.write('Uncaught ' + (e && e.stack ? e.name + ': ' + e.message + '\n' + e.stack : String(e)) + '\n');
  process.exitCode = 1;
};
