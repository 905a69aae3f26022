// The host is given a value that is nested deeper than it may be.
// ends: exception
let nested = [];
for (let i = 0; i < 3000; i++) nested = [nested];
return echo(nested);
