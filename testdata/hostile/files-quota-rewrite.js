// One file is written anew again and again, and each of its contents is kept for a while.
// ends: time limit or exception Error
const bytes = new Uint8Array(1e7);
for (let i = 0; ; i++) {
  bytes[0] = i;
  fs.writeFileSync('/a', bytes);
}
