# Debian: python3-jsonschema python3-attr python3-pyrsistent
import jsonschema

schema = {
    '$schema': 'https://json-schema.org/draft/2020-12/schema',
    'type': 'object', 'required': ['name', 'tags'], 'additionalProperties': False,
    'properties': {
        'name': {'type': 'string', 'minLength': 2, 'pattern': '^[a-z]+$'}, 'age': {'type': 'integer', 'minimum': 0},
        'tags': {'type': 'array', 'items': {'$ref': '#/$defs/tag'}, 'uniqueItems': True},
    },
    '$defs': {'tag': {'enum': ['red', 'blue']}},
}
validator = jsonschema.Draft202012Validator(schema)
for value in ({'name': 'ann', 'tags': ['red']}, {'name': 'A', 'tags': ['red', 'red', 'pink'], 'age': -1, 'x': 1}, [],
              {'name': 'bob'}):
    for error in sorted(validator.iter_errors(value), key=lambda e: (list(map(str, e.path)), e.message)):
        print(list(error.path), error.validator, error.message)
    print(validator.is_valid(value))
try:
    jsonschema.validate('x', {'type': 'number'})
except jsonschema.ValidationError as error:
    print(error)
