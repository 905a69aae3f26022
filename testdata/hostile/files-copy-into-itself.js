// A directory is copied into itself, which could go on for ever.
// ends: exception Error
fs.writeFileSync('/a/b/c', 'x');
fs.cpSync('/a', '/a/b/d', { recursive: true });
