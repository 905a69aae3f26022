// An async function calls itself before it waits for anything.
// ends: exception RangeError
const again = async () => await again();
await again();
