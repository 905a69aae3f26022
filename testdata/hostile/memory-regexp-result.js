// One match has all parts of a long text in its groups and its indices, and is kept thousands of times.
// ends: memory limit or exception InternalError
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const expression = new RegExp('(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)', 'd');
const matches = [];
for (;;) matches.push(expression.exec('0123456789'));
