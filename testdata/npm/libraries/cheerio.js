const cheerio = require('cheerio');
const $ = cheerio.load(
  '<table id=t><tr><th>City<th>People</tr><tr><td>Oslo<td>709&nbsp;037</tr><tr class=big><td>Lima<td>10 092 000</table><a href="/x?a=1&amp;b">link</a>');
$('tr.big td').first().text('Lima, Peru').addClass('changed');
return JSON.stringify([
  $('#t tr').slice(1).map((_, tr) => $(tr).find('td').map((_, td) => $(td).text()).get().join('|')).get(),
  $('a').attr('href'), $.html('tr.big'),
  $('a').prop('outerHTML'), $('th:contains("City")').next().text(),
]);
