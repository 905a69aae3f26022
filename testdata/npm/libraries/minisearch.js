const MiniSearch = require('minisearch');
const index = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title'] });
index.addAll([
  { id: 1, title: 'Moby Dick', text: 'Call me Ishmael. Some years ago' }, { id: 2, title: 'Zen and the Art',
    text: 'I can see by my watch' },
  { id: 3, title: 'Neuromancer', text: 'The sky above the port was the color of television' },
]);
return JSON.stringify([
  index.search('zen art', { boost: { title: 2 } }).map((r) => [r.id, r.score.toFixed(3)]),
  index.search('moter', { fuzzy: 0.4 }).length, index.autoSuggest('neu').map((s) => [s.suggestion, s.score.toFixed(9)]),
  MiniSearch.loadJSON(JSON.stringify(index), { fields: ['title', 'text'] }).search('port').length,
]);
