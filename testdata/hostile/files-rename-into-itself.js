// A directory is moved into itself, where nobody could find it any more.
// ends: exception Error
fs.writeFileSync('/a/b/c', 'x');
fs.renameSync('/a', '/a/b/d');
