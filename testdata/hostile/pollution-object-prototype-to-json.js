// Every object has a toJSON that says something else.
// ends: returns "mine"
Object.prototype.toJSON = () => 'mine';
console.log({ a: 1 });
return { real: true };
