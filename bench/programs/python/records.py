import json

data = [{"id": i, "name": f"n{i}", "tags": ["a", "b"], "score": i / 7} for i in range(1500)]


def main():
    return len(json.loads(json.dumps(data)))
