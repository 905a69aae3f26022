// Paths lead above the root in all spellings.
// ends: returns nothing
const paths = [
  '/../../etc/passwd', '../../../../../etc/passwd', '/a/../../etc/passwd', '//etc//passwd',
    'file:///etc/passwd', '/proc/self/environ', '/dev/zero', '\\etc\\passwd', 'C:\\Windows\\win.ini',
    '/./..//../etc/./passwd', '/%2e%2e/etc/passwd', '~/.ssh/id_rsa',
];
const read = [];
for (const path of paths) {
  try {
    read.push(fs.readFileSync(path, 'utf8'));
  } catch {}
}
return read.length === 0 ? 'nothing' : read;
