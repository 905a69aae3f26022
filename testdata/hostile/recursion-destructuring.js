// A default value in a pattern takes apart an object with the same pattern.
// ends: exception RangeError
const again = ({ a: [b = again({ a: [] })] }) => b;
again({ a: [] });
