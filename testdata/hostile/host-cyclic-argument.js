// The host is given an object that contains itself.
// ends: exception TypeError
const object = {};
object.self = object;
echo(object);
