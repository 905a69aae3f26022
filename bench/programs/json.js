// Objects to JSON and back.
function main() {
  const objects = [];
  for (let i = 0; i < 1000; i++) objects.push({id: i, name: 'n' + i, tags: ['a', 'b'], v: i / 3});
  let text;
  for (let i = 0; i < 4; i++) text = JSON.stringify(JSON.parse(JSON.stringify(objects)));
  return text.length;
}
