// The script replaces functions of the host by its own, and calls those that it has kept.
// ends: returns 1,2
const kept = echo;
globalThis.echo = () => [2];
globalThis.later = null;
return [kept(1)[0], echo(1)[0]].join();
