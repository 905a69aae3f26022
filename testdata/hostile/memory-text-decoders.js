// Decoders have state in the host as well, or could have.
// ends: memory limit or time limit
const decoders = [];
for (;;) decoders.push(new TextDecoder('gbk'));
