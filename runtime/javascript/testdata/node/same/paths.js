// path of Windows and of POSIX.
const path = require('path');
const { win32 } = path;
const answers = {};
const paths = ['', '.', '..', '/', '\\', 'C:', 'C:\\', 'c:/a//b/../d.txt', 'C:a\\b',
  'C:..', '\\\\srv\\share', '//srv/share/', '//srv/share/a/b.c',
  '\\a\\..\\..\\b\\', '//', '///x', './a.b/', 'a/./.hidden', 'x..', '...', 'a:b', '..\\C:\\x', 'é\\ß.TXT', ' a /b '];
const { cwd } = process;
process.cwd = () => '/'; // wherever Node runs
const attempt = (f) => {
  try {
    return f();
  } catch (error) {
    return `${error.name} ${error.code} ${error.message}`;
  }
};
for (const [name, p] of Object.entries({ win32, posix: path.posix })) {
  for (const a of paths) {
    answers[`${name} ${a}`] = JSON.stringify(
      [p.normalize(a), p.dirname(a), p.basename(a), p.basename(a, '.txt'), p.extname(a), p.isAbsolute(a), p.parse(a),
      p.format(p.parse(a)), p.resolve(name === 'win32' ? 'D:\\w\\x' : '/w/x', a, 'y')]);
    for (const b of ['', '..', '/', 'C:', '\\\\srv\\share', 'c:/a//b/../d.txt', '../x/']) {
      answers[`${name} ${a} ${b}`] = JSON.stringify([
        p.join(a, b), p.relative(name === 'win32' ? `C:\\${a}` : `/${a}`, name === 'win32' ? `c:\\${b}` : `/${b}`),
      ]);
    }
  }
  for (const f of ['normalize', 'dirname', 'basename', 'extname', 'isAbsolute', 'parse', 'join', 'resolve', 'format']) {
    for (const bad of [undefined, null, 5, {}]) answers[`${name}.${f} of ${bad}`] = String(attempt(() => p[f](bad)));
  }
}
answers.members = [win32.sep, win32.delimiter, win32.posix === path, path.win32 === win32,
  win32.win32 === win32, require('path/win32') === win32].join();
for (const a of ['C:\\a', '//srv/share/a', '\\\\?\\C:\\a', 'C:', ''])
  answers[`namespaced ${a}`] = String(win32.toNamespacedPath(a));
answers.format = [win32.format({ dir: 'C:\\', root: 'C:\\', name: 'a', ext: 'b' }),
  win32.format({ dir: 'x', base: 'y' }), win32.format({})].join();
process.cwd = cwd;
module.exports = answers;
