// Parameters that belong to no URL are added without an end.
// ends: memory limit or time limit
const params = new URLSearchParams();
for (let i = 0; ; i++) params.append('name' + i, i);
