"""Revenue by region: totals, trend, and a picture."""

import matplotlib.pyplot as plt
import pandas as pd

sales = pd.read_csv("sales.csv")
print(sales.groupby("region")["revenue"].agg(["sum", "mean"]).round(2))

by_month = sales.pivot(index="month", columns="region", values="revenue")
growth = by_month.pct_change().mean() * 100
for region, percent in growth.items():
    print(f"{region}: {percent:+.1f} % a month")

by_month.plot(kind="bar", title="Revenue by month")
plt.tight_layout()
plt.savefig("revenue.png")
print("saved revenue.png")
