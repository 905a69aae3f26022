package toolhttp_test

import (
	"context"
	"io"
	"net/http"

	"github.com/toolrun/toolrun/guest/tool"
	"github.com/toolrun/toolrun/guest/tool/toolhttp"
)

// A tool that asks an API with a token that it does not see.
func Example() {
	type input struct {
		City string `json:"city" jsonschema:"the city"`
	}
	tool.Main(tool.Spec{
		Name: "weather", Description: "Tells the weather of a city.",
		Asks: tool.Asks{Network: []string{"GET https://api.example.com/**"}},
	}, func(ctx context.Context, in input) (string, error) {
		request, err := http.NewRequestWithContext(ctx, "GET", "https://api.example.com/weather/"+in.City, nil)
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+toolhttp.Secret("WEATHER_TOKEN"))
		response, err := toolhttp.Client.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	})
}
