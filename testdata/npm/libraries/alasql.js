const alasql = require('alasql');
alasql('CREATE TABLE cities (city STRING, people NUMBER, land STRING)');
alasql('INSERT INTO cities VALUES ("Oslo", 709037, "NO"), ("Lima", 10092000, "PE"), ("Bergen", 291940, "NO")');
return JSON.stringify([
  alasql('SELECT land, SUM(people) AS inhabitants, COUNT(*) AS n FROM cities GROUP BY land ORDER BY inhabitants DESC'),
  alasql('SELECT VALUE city FROM ? WHERE people > 500000', [[{ city: 'A', people: 1 }, { city: 'B', people: 1e6 }]]),
  alasql('SELECT a.x, b.y FROM ? a LEFT JOIN ? b USING id', [[{ id: 1, x: 'p' }, { id: 2, x: 'q' }],
    [{ id: 1, y: 5 }]]),
  (() => { try { return alasql('SELEC'); } catch (error) { return error.message.split('\n')[0]; } })(),
]);
