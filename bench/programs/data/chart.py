import io

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt


def main():
    figure, axes = plt.subplots()
    axes.plot(range(100), [x * x for x in range(100)], label="squares")
    axes.set_title("A line")
    axes.legend()
    out = io.BytesIO()
    figure.savefig(out, format="png")
    plt.close(figure)
    return out.getvalue()[:4]
