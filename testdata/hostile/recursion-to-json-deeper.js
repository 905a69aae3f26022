// The method toJSON returns an object that has another one inside, which has another one inside.
// ends: time limit or exception RangeError
const more = () => ({ toJSON: () => ({ more: more() }) });
return JSON.stringify(more());
