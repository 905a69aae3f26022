# Debian: python3-marshmallow python3-packaging
import datetime

from marshmallow import EXCLUDE, Schema, ValidationError, fields, post_load, validate


class Address(Schema):
    city = fields.Str(required=True)


class Person(Schema):
    name = fields.Str(required=True, validate=validate.Length(min=2))
    email = fields.Email()
    born = fields.Date()
    level = fields.Int(load_default=1, validate=validate.Range(1, 5))
    addresses = fields.List(fields.Nested(Address))

    class Meta:
        ordered = True

    @post_load
    def make(self, data, **options):
        return dict(data, loaded=True)


print(Person().load({'name': 'Ann', 'email': 'a@example.org', 'born': '2000-02-29', 'addresses': [{'city': 'Oslo'}]}))
print(Person().dumps({'name': 'Bob', 'born': datetime.date(1999, 1, 2), 'level': 3}))
try:
    Person().load({'name': 'A', 'email': 'x', 'born': 'never', 'level': 9, 'addresses': [{}], 'other': 1})
except ValidationError as error:
    print({key: error.messages[key] for key in sorted(error.messages)})
print(Person(unknown=EXCLUDE, many=True).load([{'name': 'Cy', 'other': 1}]))
