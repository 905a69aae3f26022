//go:build suites

package javascript_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/test/test262"
)

// run runs a case, and says why it has failed.
func (b *bareEngine) run(ctx context.Context, suite *test262.Suite, c test262.Case) error {
	input, err := suite.Input(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, test262Time)
	defer cancel()
	instance, vm, err := b.fresh(ctx, suite.Folder(c.Test))
	if err != nil {
		return err
	}
	defer instance.Close(context.WithoutCancel(ctx))

	text, err := json.Marshal(input)
	if err != nil {
		return err
	}
	const report = `((input) => {
		const report = {events: ''};
		globalThis.test262 = input;
		input.emit = (event) => { report.events += JSON.stringify(event) + ' ' };
		return report;
	})`
	handle, err := b.eval(ctx, instance, `{ const {stringify} = JSON;`+strings.ReplaceAll(report, "JSON.stringify",
		"stringify")+"("+string(text)+") }", "report.js")
	if err != nil || handle == quickjs.Exception {
		return errors.Join(errors.New("the case cannot be handed over"), err)
	}
	_, runErr := b.eval(ctx, instance, "(async function () {"+test262.Driver+"\n})(); undefined", "driver.js")
	if runErr != nil && ctx.Err() != nil {
		runErr = context.Cause(ctx)
	}
	if runErr != nil {
		return c.Judge(nil, runErr)
	}
	value, err := vm.Property(ctx, handle, "events")
	if err != nil {
		return err
	}
	all, _, _ := vm.String(value, math.MaxInt32)
	var events []string
	for decoder := json.NewDecoder(strings.NewReader(all)); ; {
		var event string
		if err := decoder.Decode(&event); err == io.EOF {
			return c.Judge(events, nil)
		} else if err != nil {
			return err
		}
		events = append(events, event)
	}
}
