# ruff: noqa: E501, ISC004 - programs, one in a line where it fits
"""Programs for data that draw, or that write only plain new files of their workspace."""

from __future__ import annotations

_MPL = "import matplotlib.pyplot as plt\nimport numpy as np\nx = np.linspace(0, 6, 20)\n"
_PD = "import pandas as pd\nimport numpy as np\nd = pd.DataFrame({'a': [1, 2, 3], 'b': ['x', 'y', 'x']})\n"

DRAWING = (
    f"{_MPL}plt.plot(x, np.sin(x), 'r--', label='sin', linewidth=2)\nplt.title('T', fontsize=14)\nplt.legend(loc='best')\nplt.show()",
    f"{_MPL}plt.hist(np.random.randn(50), bins=10, edgecolor='black', alpha=0.7)\nplt.xlabel('x')\nplt.close()",
    f"{_MPL}plt.pie([1, 2], labels=['a', 'b'], autopct='%1.1f%%', wedgeprops={{'edgecolor': 'white'}})\nplt.axis('equal')",
    f"{_MPL}ax = plt.gca()\nax.spines[['top', 'right']].set_visible(False)\nfor spine in ax.spines.values():\n    spine.set_linewidth(2)\nfor name, spine in ax.spines.items():\n    print(name)\n    spine.set_color('gray')",
)
"""Programs that draw and save nothing: harmless."""

WRITING = (
    f"{_MPL}fig, ax = plt.subplots(figsize=(6, 4))\nax.plot(x, np.cos(x), marker='o', color='tab:blue', label='$\\\\cos x$')\nax.set_title('T', fontsize=14, fontweight='bold')\n"
    "ax.set_xlabel('x')\nax.legend(loc='best')\nax.grid(True, linestyle='--', alpha=0.3)\nfig.tight_layout()\nfig.savefig('plot.png', dpi=100, bbox_inches='tight')\nplt.close(fig)\nprint('saved')",
    f"{_MPL}fig, axes = plt.subplots(2, 2, sharex=True)\naxes[0, 0].bar(['a', 'b'], [1, 2], color=['C0', 'C1'])\naxes[0, 1].scatter(x, x, c=x, cmap='viridis', s=10)\naxes[1, 0].boxplot([x, x])\n"
    "axes[1, 1].errorbar(x, x, yerr=0.1, fmt='o', capsize=2)\nfor ax in axes.flatten():\n    ax.set_axisbelow(True)\n    ax.spines['top'].set_visible(False)\nfig.suptitle('All')\nplt.savefig('all.pdf')",
    f"{_MPL}bars = plt.barh(['a', 'b'], [1, 2])\nfor bar in bars:\n    plt.text(bar.get_width(), bar.get_y(), f'{{bar.get_width():.1f}}', ha='center', bbox={{'boxstyle': 'round', 'alpha': 0.5}})\n"
    "plt.gca().bar_label(bars, fmt='%.1f')\nplt.annotate('top', xy=(1, 1), xytext=(2, 0.5), arrowprops={'arrowstyle': '->'})\nplt.savefig('bars.svg', format='svg')",
    f"{_MPL}im = plt.imshow(np.outer(x, x), cmap='hot', interpolation='nearest')\nplt.colorbar(im, label='v')\nplt.savefig(fname='heat.png', transparent=True)\nplt.figure(figsize=(3, 3))\n"
    "plt.contourf(np.outer(x, x))\nplt.fill_between(x, x, 0, alpha=0.2)\nplt.savefig('heat.jpg')",
    "import matplotlib\nmatplotlib.use('Agg')\nfrom matplotlib import pyplot as plt\nfig = plt.figure()\nax = fig.add_subplot(111, projection='polar')\nax.plot([0, 1], [1, 2])\nfig.savefig('polar.png')",
    f"{_PD}d['c'] = d['a'] * 2\nd.to_csv('report.csv', index=False)\nprint(d.to_csv())\nd['a'].to_csv('a.tsv', sep='\\t', header=True, encoding='utf-8')",
    f"{_PD}d.groupby('b')['a'].mean().reset_index().to_csv(path_or_buf='means.csv', float_format='%.2f', na_rep='-')",
    f"{_PD}np.savetxt('table.csv', d[['a']].to_numpy(), delimiter=',', header='a', comments='', fmt='%.3f')",
    f"{_PD}import matplotlib.pyplot as plt\nd.plot(x='b', y='a', kind='bar', title='T', figsize=(4, 3), legend=False, rot=0)\nplt.savefig('bar.png')\nd['a'].hist(bins=3)\nplt.savefig('hist.png')\nd.columns = ['x', 'y']",
    f"{_PD}import matplotlib.pyplot as plt\nt = pd.read_csv('data.csv')\nax = t['a'].plot(kind='hist', alpha=0.5)\nax.axvline(t['a'].mean(), color='red', linestyle='--')\nax.figure\n".replace(
        "ax.figure\n", ""
    )
    + "plt.savefig('data.png')\nt.describe().to_csv('summary.csv')",
)
"""Programs that write files of the workspace, and have no other effect."""
