const aq = require('arquero');
const table = aq.table({ city: ['Oslo', 'Lima', 'Bergen'], land: ['NO', 'PE', 'NO'], people: [709037, 10092000,
  291940] });
return JSON.stringify([
  table.groupby('land').rollup({ n: aq.op.count(), total: (d) => aq.op.sum(d.people) }).orderby(
    aq.desc('total')).objects(),
  table.derive({ k: (d) => aq.op.round(d.people / 1000) }).filter((d) => d.k > 300).toCSV(),
  aq.fromCSV('a,b\n1,x\n2,y').fold(['a', 'b']).numRows(),
  table.join(aq.table({ land: ['NO'], name: ['Norway'] })).array('name'),
]);
