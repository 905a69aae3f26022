// Random bytes are asked for without an end.
// ends: time limit
for (;;) crypto.getRandomValues(new Uint8Array(65536));
