import bisect
import functools
import heapq
from collections import OrderedDict, deque


def dijkstra(graph, start):
    found, queue = {}, [(0, start)]
    while queue:
        distance, node = heapq.heappop(queue)
        if node not in found:
            found[node] = distance
            for other, length in graph.get(node, {}).items():
                heapq.heappush(queue, (distance + length, other))
    return found


@functools.lru_cache(maxsize=None)
def edits(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(edits(a[1:], b) + 1, edits(a, b[1:]) + 1, edits(a[1:], b[1:]) + (a[0] != b[0]))


def queens(n, row=0, columns=(), up=(), down=()):
    if row == n:
        return 1
    return sum(queens(n, row + 1, columns + (c,), up + (row + c,), down + (row - c,)) for c in range(n) if c not in columns and row + c not in up and row - c not in down)


def knapsack(items, room):
    best = [0] * (room + 1)
    for weight, value in items:
        for left in range(room, weight - 1, -1):
            best[left] = max(best[left], best[left - weight] + value)
    return best[room]


print(dijkstra({'a': {'b': 7, 'c': 3}, 'c': {'b': 1, 'd': 8}, 'b': {'d': 2}}, 'a'), edits('kitten', 'sitting'), edits.cache_info().misses, queens(6))
print(knapsack([(1, 1), (3, 4), (4, 5), (5, 7)], 7), bisect.insort(x := [1, 4, 9], 5), x, heapq.nsmallest(3, [5, 1, 8, 2]), list(heapq.merge([1, 4], [2, 3])))
maze = ['#########', '#S  #   #', '# # # # #', '# #   #E#', '#########']
start = next((r, c) for r, row in enumerate(maze) for c, x in enumerate(row) if x == 'S')
queue, seen = deque([(start, 0)]), {start}
while queue:
    (r, c), steps = queue.popleft()
    if maze[r][c] == 'E':
        print('out in', steps)
    for q in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
        if q not in seen and maze[q[0]][q[1]] != '#':
            seen.add(q)
            queue.append((q, steps + 1))
o = OrderedDict.fromkeys('abc')
o.move_to_end('a')
print(list(o), deque('abcdef', 3), sorted('banana'), sorted([('b', 2), ('a', 2), ('c', 1)], key=lambda p: (-p[1], p[0])))
