// JSON is replaced by something that answers with lies.
// ends: returns [{"a":[1]}]
const { stringify } = JSON;
JSON.stringify = JSON.parse = () => 'replaced';
console.log({ a: 1 });
return stringify(await later({ a: [1] }));
