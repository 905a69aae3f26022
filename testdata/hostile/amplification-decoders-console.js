// Prints what is short and is shown as something long.
// ends: returns undefined or memory limit or exception or time limit
// grows: 128 MiB
const wide = new Array(1e5).fill(new Array(100).fill('\u0000'));
for (let i = 0; i < 50; i++) console.log(wide, {depth: 100, wide}, '%o %j', wide, wide);
