def main():
    x, y, z, vx, vy, vz = 1.0, 0.0, 0.5, 0.0, 1.0, 0.1
    for _ in range(30000):
        d = (x * x + y * y + z * z) ** -1.5
        vx -= x * d * 0.01
        vy -= y * d * 0.01
        vz -= z * d * 0.01
        x += vx * 0.01
        y += vy * 0.01
        z += vz * 0.01
    return round(x * x + y * y + z * z, 3)
