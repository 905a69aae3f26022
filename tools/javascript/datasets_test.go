//go:build suites

package javascript_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

// Tasks as models get them, on the data sets of the npm package vega-datasets: load, transform, aggregate, write with
// the javascript tool, and look at the outcome with the filesystem tool. The numbers have been found with another
// language.
func TestDataSets(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	for _, name := range []string{"cars.json", "seattle-weather.csv", "movies.json"} {
		install(t, env.Files, "vega-datasets/data/"+name, "/data/"+name)
	}
	install(t, env.Files, "papaparse/papaparse.min.js", "/lib/papaparse.min.js")
	install(t, env.Files, "d3-array/dist/d3-array.min.js", "/lib/d3-array.min.js")
	view := func(path string) string {
		input, err := json.Marshal(map[string]string{"command": "view", "path": path})
		require.NoError(t, err)
		result := r.Dispatch(t.Context(), tool.Call{Tool: "filesystem", Input: input}, env)
		require.Empty(t, result.Code, result.Text())
		return result.Text()
	}

	result := run(t, r, env, `
		const cars = JSON.parse(await fs.readFile('/data/cars.json', 'utf8'));
		const table = d3.rollups(cars.filter((c) => c.Miles_per_Gallon !== null),
			(v) => ({count: v.length, mean: Number(d3.mean(v, (c) => c.Miles_per_Gallon).toFixed(2))}), (c) => c.Origin)
			.map(([origin, s]) => ({origin, ...s})).sort((a, b) => b.mean - a.mean);
		await fs.writeFile('/out/mpg.csv', Papa.unparse(table, {newline: '\n'}) + '\n');
		return cars.length`)
	require.Equal(t, "406\nFiles: created /out/mpg.csv", result.Text())
	require.Equal(t, "Here's the content of /out/mpg.csv with line numbers:\n     1\torigin,count,mean\n     "+
		"2\tJapan,79,30.45\n     3\tEurope,70,27.89\n     4\tUSA,249,20.08", view("/out/mpg.csv"))

	result = run(t, r, env, `
		interface Day { date: string; precipitation: number; temp_max: number; weather: string }
		const { data } = Papa.parse(fs.readFileSync('/data/seattle-weather.csv', 'utf8'),
	{ header: true, dynamicTyping: true, skipEmptyLines: true });
		const years: Record<string, { rain: number; hottest: number; sunny: number }> = {};
		for (const day of data as Day[]) {
			const y = (years[String(day.date).slice(0, 4)] ??= { rain: 0, hottest: -Infinity, sunny: 0 });
			y.rain += day.precipitation;
			y.hottest = Math.max(y.hottest, day.temp_max);
			if (day.weather === 'sun') y.sunny++;
		}
		for (const y of Object.values(years)) y.rain = Math.round(y.rain * 10) / 10;
		await fs.writeFile('/out/weather.json', JSON.stringify(years, null, 1));
		console.table(years);
		return data.length`)
	require.Contains(t, result.Text(), "=== Result ===\n1461\nFiles: created /out/weather.json")
	require.Contains(t, view("/out/weather.json"),
		"\"2012\": {\n     3\t  \"rain\": 1226,\n     4\t  \"hottest\": 34.4,\n     5\t  \"sunny\": 118")
	require.Contains(t, view("/out/weather.json"),
		"\"2015\": {\n    18\t  \"rain\": 1139.2,\n    19\t  \"hottest\": 35,\n    20\t  \"sunny\": 162")

	result = run(t, r, env, `
		import {writeFile} from 'fs/promises';
		const movies = require('/data/movies.json');
		const gross = d3.rollup(movies.filter((m) => m['Worldwide Gross'] !== null && m['Major Genre']),
			(v) => d3.sum(v, (m) => m['Worldwide Gross']), (m) => m['Major Genre']);
		const top = [...gross].sort((a, b) => b[1] - a[1]).slice(0, 3);
		await writeFile('/out/top.md', '| genre | gross |\n|---|---|\n' +
			top.map(([g, n]) => '| ' + g + ' | ' + n + ' |').join('\n') + '\n');
		return [movies.length, movies.filter((m) => /[^\x00-\x7f]/.test(m.Title)).length,
			movies.find((m) => /Ast/.test(m.Title)).Title].join()`)
	require.Equal(t, "3201,20,AstÈrix aux Jeux Olympiques\nFiles: created /out/top.md", result.Text())
	require.Contains(t, view("/out/top.md"),
		"     3\t| Adventure | 66080959632 |\n     4\t| Action | 60435609765 |\n     5\t| Comedy | 50384049282 |")
	require.Contains(t, view("/"), "/out/top.md")
}
