def bench_measured(rounds, evaluate):
    """Prints how long each evaluation takes, in nanoseconds, and the last value. It follows the program's own text."""
    import time

    for _ in range(rounds):
        start = time.perf_counter_ns()
        value = evaluate()
        print(time.perf_counter_ns() - start)
    print(value)
