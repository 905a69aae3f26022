// A path of ten million characters.
// ends: exception Error
fs.readFileSync('/x'.repeat(5e6));
