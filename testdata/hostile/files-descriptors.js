// Files are opened and never closed.
// ends: memory limit or time limit or exception
fs.writeFileSync('/file', 'x');
for (;;) {
  fs.openSync('/file', 'r+');
  await fs.promises.open('/file', 'a');
  fs.createWriteStream('/file', { flags: 'a' });
}
