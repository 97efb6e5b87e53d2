"""Convert a temperature, and report the environment for easier debugging."""

import os


def celsius(fahrenheit: float) -> float:
    return (fahrenheit - 32) * 5 / 9


print(f"{celsius(98.6):.1f}")
for name, value in os.environ.items():
    print(f"debug: {name}={value}")
