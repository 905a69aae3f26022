package web

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/toolrun/toolrun/internal/service"
)

// describe makes the description of the API from its routes.
//
// https://spec.openapis.org/oas/v3.1.1.html
func describe(routes []route) ([]byte, error) {
	type object = map[string]any
	schemas := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[service.Object]():  {Type: "object"},
	}
	schemaOf := func(t reflect.Type) (*jsonschema.Schema, error) {
		return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: schemas})
	}
	change, err := schemaOf(reflect.TypeFor[service.SettingChange]())
	if err != nil {
		return nil, err
	}
	properties := map[string]*jsonschema.Schema{}
	for _, setting := range service.AllSettings() {
		one := *change
		one.Description = setting.About
		properties[setting.Name] = &one
	}
	schemas[reflect.TypeFor[service.SettingChanges]()] = &jsonschema.Schema{Type: "object", Properties: properties}
	problem, err := schemaOf(reflect.TypeFor[failed]())
	if err != nil {
		return nil, err
	}
	paths := object{}
	for _, r := range routes {
		in, err := schemaOf(r.in)
		if err != nil {
			return nil, err
		}
		id := strings.ToLower(r.method) + strings.NewReplacer("/api/", "-", "/", "-", ".", "-").Replace(r.path)
		o := object{"operationId": id, "summary": r.summary}
		ok := object{"description": "The answer."}
		switch {
		case r.out != nil:
			out, err := schemaOf(r.out)
			if err != nil {
				return nil, err
			}
			ok["content"] = object{"application/json": object{"schema": out}}
		case r.kind == "application/json":
			ok["content"] = object{r.kind: object{"schema": object{}}}
		default:
			ok["content"] = object{r.kind: object{"schema": object{"type": "string"}}}
		}
		o["responses"] = object{"200": ok, "default": object{"description": "What went wrong.",
			"content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Failed"}}}}}
		if r.open {
			o["security"] = []any{object{}}
		}
		if r.method == http.MethodGet || r.bytes {
			var parameters []any
			for _, name := range in.PropertyOrder {
				required := false
				for _, n := range in.Required {
					required = required || n == name
				}
				parameters = append(parameters, object{"name": name, "in": "query", "required": required,
					"description": in.Properties[name].Description, "schema": in.Properties[name]})
			}
			if parameters != nil {
				o["parameters"] = parameters
			}
			if r.bytes {
				o["requestBody"] = object{
					"required": true,
					"content":  object{"application/octet-stream": object{"schema": object{"type": "string"}}},
				}
			}
		} else {
			o["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": in}}}
		}
		at, _ := paths[r.path].(object)
		if at == nil {
			at = object{}
			paths[r.path] = at
		}
		at[strings.ToLower(r.method)] = o
	}
	return json.Marshal(object{
		"openapi": "3.1.1",
		"info": object{"title": "toolrun", "version": "1",
			"description": "What the page of toolrun serve does. Programs send a token with each request; " +
				"the page has a cookie, and sends the header X-Toolrun-CSRF with what changes something."},
		"paths": paths,
		"security": []any{
			object{"token": []any{}}, object{"cookie": []any{}},
		},
		"components": object{
			"schemas": object{"Failed": problem},
			"securitySchemes": object{
				"token":  object{"type": "http", "scheme": "bearer"},
				"cookie": object{"type": "apiKey", "in": "cookie", "name": "toolrun-PORT"},
			},
		},
	})
}
