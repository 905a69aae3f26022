# Debian: python3-attr
import attr
from attr import validators


@attr.define(frozen=True, order=True)
class Item:
    price: float = attr.field(converter=float, validator=validators.ge(0))
    name: str = attr.field(validator=validators.instance_of(str))
    tags: list = attr.field(factory=list, repr=False)


items = [Item(3, 'pen'), Item('1.5', 'ink', ['blue']), Item(2, 'pad')]
for item in sorted(items):
    print(item, attr.asdict(item))
print(attr.evolve(items[0], price=9))
for arguments in ((-1, 'x'), (1, 2)):
    try:
        Item(*arguments)
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error.args[0])
try:
    items[0].name = 'other'
except attr.exceptions.FrozenInstanceError as error:
    print('frozen', error)
print([field.name for field in attr.fields(Item)], Item(1, 'a') == Item(1.0, 'a'))
