package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/bench/protocol"
)

// table is one comparison. Its rows are the contestants.
type table struct {
	id, title, about string
	columns          []*column
	rows             []*contestant
	base             string // the contestant that the others are compared with
	higher           bool   // more is better
	mean             bool   // there is a column with the geometric mean of the ratios
	format           func(float64) string
	rounds           int // how many there are at most; 0 means as many as there are
	// each round has processes of its own, since where code happens to lie in one makes a difference
	fresh bool
}

// column is one measurement of all contestants.
type column struct {
	name string
	// warm is done once before, and not measured. It can be empty.
	warm protocol.Request
	// request is done in each round.
	request protocol.Request
	// values takes what is wanted from a response.
	values func(protocol.Response) []float64
	// same says that the text of all responses has to be the same.
	same bool
	// alone says that it is done by a process that has done nothing else.
	alone bool
	// fewer says that a tenth is asked for if a contestant cannot do as much.
	fewer bool
	// only is the ids of the contestants that it is for. Empty means all.
	only string

	samples  map[string][]float64
	failures map[string]error
	counts   map[string]int // how many, if it is fewer
	text     string
}

// measure does a table's work: in each round, and for each column, every contestant has its turn.
func (f *field) measure(t *table) {
	for _, c := range f.contestants {
		if c.in(t) && f.only.MatchString(t.id+"/"+c.id) {
			t.rows = append(t.rows, c)
		}
	}
	for _, col := range t.columns {
		col.samples, col.failures, col.counts = map[string][]float64{}, map[string]error{}, map[string]int{}
	}
	rounds := f.rounds
	if t.rounds > 0 {
		rounds = min(rounds, t.rounds)
	}
	for round := range rounds {
		if t.fresh {
			f.restart(t)
		}
		for _, col := range t.columns {
			fmt.Fprintf(f.log, "%s %s, round %d of %d\n", t.id, col.name, round+1, rounds)
			for i := range t.rows {
				f.turn(t.rows[(i+round)%len(t.rows)], col, round == 0 || t.fresh) // nobody is always the first
			}
		}
	}
}

// restart ends the processes of a table's contestants. They are started again at their next turn.
func (f *field) restart(t *table) {
	for _, c := range t.rows {
		if err := c.peer.close(); err != nil {
			fmt.Fprintf(f.log, "%s: %v\n", c.name, err)
		}
	}
}

// turn is a contestant's turn. One that has failed has none any more.
func (f *field) turn(c *contestant, col *column, first bool) {
	if col.failures[c.id] != nil || col.only != "" && !slices.Contains(strings.Fields(col.only), c.id) {
		return
	}
	if col.alone {
		if err := c.peer.close(); err != nil {
			fmt.Fprintf(f.log, "%s: %v\n", c.name, err)
		}
	}
	if first && col.warm.Op != "" {
		if _, err := c.peer.ask(col.warm); err != nil {
			col.failures[c.id] = err
			return
		}
	}
	request := col.request
	if fewer := col.counts[c.id]; fewer > 0 {
		request.Count = fewer
	}
	response, err := c.peer.ask(request)
	for err != nil && col.fewer && request.Count > 10 {
		request.Count /= 10
		if response, err = c.peer.ask(request); err == nil {
			col.counts[c.id] = request.Count
		}
	}
	if err == nil && col.same {
		if col.text == "" {
			col.text = response.Text
		}
		if response.Text != col.text {
			err = fmt.Errorf("the value is %q instead of %q", response.Text, col.text)
		}
	}
	if err != nil {
		col.failures[c.id] = err
		return
	}
	if !response.Unmeasured {
		col.samples[c.id] = append(col.samples[c.id], col.values(response)...)
	}
}

// failureOfOurs is the error of what is compared with the others, which must not fail.
func (t *table) failureOfOurs() error {
	var errs []error
	for _, col := range t.columns {
		for _, id := range []string{t.base, oursRegistryID} {
			if err := col.failures[id]; err != nil {
				errs = append(errs, fmt.Errorf("%s, %s, %s: %w", t.title, col.name, id, err))
			}
		}
	}
	return errors.Join(errs...)
}

// ratio is how many times better the base is than a contestant, or 0 if that is not known.
func (t *table) ratio(col *column, id string) float64 {
	base, ok := median(col.samples[t.base])
	value, measured := median(col.samples[id])
	switch {
	case !ok || !measured || base <= 0 || value <= 0:
		return 0
	case t.higher:
		return base / value
	}
	return value / base
}

// geometricMean is that of a contestant's ratios in all columns that it has a figure in, and how many these are.
func (t *table) geometricMean(id string) (mean float64, columns int) {
	var logs float64
	for _, col := range t.columns {
		if r := t.ratio(col, id); r > 0 {
			logs += math.Log(r)
			columns++
		}
	}
	return math.Exp(logs / float64(columns)), columns
}

func median(values []float64) (m float64, ok bool) {
	if len(values) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2, true
}
