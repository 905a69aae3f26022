// Each of tens of thousands of classes calls the constructor of the one it extends.
// ends: exception RangeError
let Last = class {};
for (let i = 0; i < 2e4; i++) Last = class extends Last {};
return new Last();
