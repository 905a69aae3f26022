from __future__ import annotations

import abc
import dataclasses
import enum
import functools
from typing import Generic, NamedTuple, Protocol, TypeVar


class Color(enum.Flag):
    RED = enum.auto()
    BLUE = enum.auto()
    PURPLE = RED | BLUE


class Point(NamedTuple):
    x: int
    y: int = 0


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...

    def __lt__(self, other): return self.area() < other.area()


@dataclasses.dataclass(slots=True)
class Square(Shape):
    side: float
    color: Color = Color.RED
    at: list[Point] = dataclasses.field(default_factory=list, compare=False)

    def area(self): return self.side ** 2


T = TypeVar('T')


class Stack(Generic[T]):
    def __init__(self): self.items: list[T] = []
    def push(self, item: T) -> Stack[T]: self.items.append(item); return self
    def __iter__(self): return reversed(self.items)
    def __len__(self): return len(self.items)
    def __getattr__(self, name): raise AttributeError(f'no {name}')


shapes = [Square(3), Square(1, Color.PURPLE), Square(2, at=[Point(1)])]
print(sorted(shapes), dataclasses.asdict(shapes[2]), dataclasses.replace(shapes[0], side=4))
print(list(Stack().push(1).push('x')), len(Stack()), Color.PURPLE & Color.BLUE, Point(3)._replace(y=1), Color(1).name)
for bad in (lambda: Square(), lambda: Stack().other, lambda: Color['PINK']):
    try:
        bad()
    except (TypeError, AttributeError, KeyError) as error:
        print(type(error).__name__, error)


try:
    Shape()
except TypeError as error:
    print('abstract', 'area' in str(error))


@functools.singledispatch
def show(x): return f'? {x}'
@show.register
def _(x: int): return f'int {x}'
@show.register(list)
def _(x): return [show(y) for y in x]


print(show([1, 'a', [2.5]]), functools.reduce(lambda a, b: a * b, range(1, 8)))
