import collections

cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for step in range(12):
    counts = collections.Counter((r + a, c + b) for r, c in cells for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
    cells = {cell for cell, n in counts.items() if n == 3 or n == 2 and cell in cells}
print(sorted(cells))
for r in range(8):
    print(''.join('#' if (r, c) in cells else '.' for c in range(8)))
board = [[5, 3, 0, 0, 7, 0, 0, 0, 0], [6, 0, 0, 1, 9, 5, 0, 0, 0], [0, 9, 8, 0, 0, 0, 0, 6, 0], [8, 0, 0, 0, 6, 0, 0, 0, 3], [4, 0, 0, 8, 0, 3, 0, 0, 1],
         [7, 0, 0, 0, 2, 0, 0, 0, 6], [0, 6, 0, 0, 0, 0, 2, 8, 0], [0, 0, 0, 4, 1, 9, 0, 0, 5], [0, 0, 0, 0, 8, 0, 0, 7, 9]]


def solve():
    for r in range(9):
        for c in range(9):
            if not board[r][c]:
                used = {*board[r], *(row[c] for row in board), *(x for row in board[r // 3 * 3:r // 3 * 3 + 3] for x in row[c // 3 * 3:c // 3 * 3 + 3])}
                for n in set(range(1, 10)) - used:
                    board[r][c] = n
                    if solve():
                        return True
                board[r][c] = 0
                return False
    return True


print(solve(), *board, sep='\n')
