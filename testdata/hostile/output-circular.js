// Everything is in everything, in Maps and Sets too, and circles must end where they begin.
// ends: returns true
const map = new Map();
const set = new Set([map]);
const object = { map, set };
object.self = object;
map.set(map, set).set(set, object);
console.log(object);
return object.self === object;
