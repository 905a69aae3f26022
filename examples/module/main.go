// Command module is a tool for language models that is compiled to WebAssembly: it counts what is in the CSV files of a
// project.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o module.wasm
//	toolrun module add module.wasm --grant files=read
//	toolrun call csv_summary '{"path": "/sales.csv"}'
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/toolrun/toolrun/guest/tool"
)

type input struct {
	Path string `json:"path" jsonschema:"the CSV file, such as /sales.csv; its first line names the columns"`
}

type column struct {
	Name    string  `json:"name"`
	Numbers int     `json:"numbers"`
	Sum     float64 `json:"sum"`
}

type output struct {
	Rows    int      `json:"rows"`
	Columns []column `json:"columns"`
}

func init() {
	tool.Register(tool.Spec{
		Name: "csv_summary",
		Description: "Summarizes a CSV file of the project: " +
			"its rows, and for each column how many numbers it has and their sum.",
		Asks: tool.Asks{Files: "read"},
	}, summarize)
}

// main is not run in a reactor, which is called when it has been initialized.
func main() { tool.Serve() }

func summarize(_ context.Context, in input) (out output, err error) {
	file, err := os.Open(in.Path)
	if err != nil {
		return out, err
	}
	defer file.Close()
	rows := csv.NewReader(file)
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if err == io.EOF {
		return out, errors.New("the file is empty")
	}
	if err != nil {
		return out, err
	}
	for _, name := range header {
		out.Columns = append(out.Columns, column{Name: name})
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out.Rows++
		if len(row) > len(out.Columns) {
			fmt.Fprintf(os.Stderr, "row %d has more fields than the header\n", out.Rows) // the log
		}
		for i := range min(len(row), len(out.Columns)) {
			if n, err := strconv.ParseFloat(row[i], 64); err == nil {
				out.Columns[i].Numbers++
				out.Columns[i].Sum += n
			}
		}
	}
}
