// Every object looks like a promise that is never settled.
// ends: never settles
Object.prototype.then = () => {};
await fs.promises.writeFile('/a', 'x');
return {};
