// A hundred arguments are all the same large buffer, which is sent as often.
// ends: memory limit
const bytes = new Uint8Array(2e6);
return echo(new Array(100).fill(bytes)).length;
