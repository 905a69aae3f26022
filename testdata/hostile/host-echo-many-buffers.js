// One call has a hundred thousand small buffers, each of which has to be put into its place.
// ends: time limit or memory limit
const buffers = Array.from({ length: 5e4 }, () => new Uint8Array(1));
for (;;) echo(buffers);
