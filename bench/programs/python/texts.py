def main():
    rows = [f"{i},{i * 1.5:.2f},name {i}" for i in range(8000)]
    text = "\n".join(rows)
    table = [[field.strip().upper() for field in line.split(",")] for line in text.splitlines()]
    return len(table), table[-1]
