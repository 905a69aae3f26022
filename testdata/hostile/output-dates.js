// Dates that are none, or as far away as can be, are shown.
// ends: returns undefined
console.log(new Date(NaN), new Date(8.64e15), [new Date(-8.64e15)], { date: new Date(NaN) });
