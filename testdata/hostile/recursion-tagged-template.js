// A tag is called by the template in it.
// ends: exception RangeError
const tag = (strings) => tag`${strings}`;
tag`x`;
