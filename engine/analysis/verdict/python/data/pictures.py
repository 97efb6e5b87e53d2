"""What matplotlib offers to a program that draws and saves pictures, each name by its arguments.

A keyword is listed where no function or method below does more with it than draw. Not listed are fonts
(a file, or a search with a process), `usetex` (a process), `prop` and `fontdict` (which hold both), `backend`
and `FigureClass` (code), `url`, `metadata` and `pil_kwargs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.data.signatures import ArgumentKind, RestrictedCall, signature

_LOOK = """
align alpha angle aspect ax bins bottom c capsize cax cmap color colors counterclock cumulative density
dpi ecolor edgecolor edgecolors elinewidth explode extent facecolor figsize fontsize framealpha frameon
ha handles hatch height height_ratios histtype horizontalalignment interpolation label label_type labelbottom
labelcolor labeldistance labelleft labelpad labelrotation labels labelsize left length levels linestyle
linestyles linewidth linewidths loc log lw ls markeredgecolor markeredgewidth markerfacecolor
markerscale markersize minor ms ncol ncols norm notch nrows num orientation origin pad padding patch_artist
pctdistance positions radius range right rotation rwidth s scale shadow sharex sharey showfliers showmeans
showmedians shrink size squeeze stacked startangle step tick_labels tight title title_fontsize top transform
va vert verticalalignment visible vmax vmin weights where which whis width width_ratios widths x xerr xlabel
xlim xmax xmin xscale xticks xy xytext y yerr ylabel ylim ymax ymin yscale yticks zorder hspace wspace h_pad
w_pad rect bbox_to_anchor constrained_layout tight_layout axis direction
"""
_FIXED = """
autopct=any fmt=text fontweight=literal weight=literal layout=literal marker=literal projection=literal
textcoords=literal xycoords=literal gridspec_kw=literal arrowprops=style bbox=style boxprops=style
flierprops=style medianprops=style meanprops=style textprops=style wedgeprops=style whiskerprops=style
capprops=style
"""
_TABLES = "kind=chart by colormap grid legend logx logy rot secondary_y subplots column"
"""What pandas takes besides where a table is drawn."""
_KEYWORDS = " ".join((*words(_LOOK), *_FIXED.split()))
DRAWING: Mapping[str, ArgumentKind] = signature("", _KEYWORDS).keywords
"""The keywords of everything that draws."""
_SAVED = (
    "fname=picture dpi facecolor edgecolor bbox_inches=literal pad_inches transparent format=format"
    " orientation=literal"
)


def _drawn(table: str, more: str = "") -> dict[str, RestrictedCall]:
    """Return the signatures of names, each with the number of its positional arguments."""
    pairs = (entry.partition(":") for entry in table.split())
    keywords = f"{_KEYWORDS} {more}"
    return {name: signature("any " * int(count), keywords) for name, _, count in pairs}


_BOTH = {
    **_drawn(
        """annotate:3 axhline:3 axhspan:4 axis:1 axvline:3 axvspan:4 bar:4 barh:4 colorbar:3
            contour:4 contourf:4 errorbar:5 fill:3 fill_between:4 grid:1 hexbin:3 hist2d:3 hlines:3
            imshow:2 legend:2 loglog:3 margins:2 matshow:1 pcolormesh:3 pie:1 scatter:4 semilogx:3
            semilogy:3 stackplot:9 stem:2 step:2 subplots:2 subplots_adjust:0 suptitle:1 text:3
            tick_params:1 tight_layout:0 twinx:1 twiny:1 violinplot:1 vlines:3"""
    ),
    **_drawn("boxplot:1 hist:2 plot:9", _TABLES),
    "savefig": signature("picture", _SAVED),
}
_PYPLOT = {
    **_BOTH,
    **_drawn(
        """cla:0 clf:0 close:1 figure:2 gca:0 gcf:0 subplot:3 title:1 xlabel:1 xlim:2 xticks:2 ylabel:1
            ylim:2 yticks:2"""
    ),
    "show": signature("", "block=literal"),
    "get_cmap": signature("literal literal"),
    "xscale": signature("literal"),
    "yscale": signature("literal"),
}

FUNCTIONS: Mapping[str, RestrictedCall] = MappingProxyType(
    {
        "matplotlib.use": signature("backend"),
        **{f"matplotlib.pyplot.{name}": one for name, one in _PYPLOT.items()},
    }
)
"""Functions that are called directly, by their full names."""

METHODS: Mapping[str, RestrictedCall] = MappingProxyType(
    {
        **_BOTH,
        **_drawn(
            """add_subplot:3 autofmt_xdate:0 bar_label:2 get_height:0 get_legend_handles_labels:0
                get_width:0 get_x:0 get_xlim:0 get_xticklabels:0 get_y:0 get_ylim:0 get_yticklabels:0
                invert_xaxis:0 invert_yaxis:0 set_alpha:1 set_aspect:1 set_axis_off:0 set_axisbelow:1
                set_color:1 set_edgecolor:1 set_facecolor:1 set_fontsize:1 set_ha:1 set_linestyle:1
                set_linewidth:1 set_rotation:1 set_size_inches:2 set_title:1 set_visible:1 set_xlabel:1
                set_xlim:2 set_xticklabels:1 set_xticks:2 set_ylabel:1 set_ylim:2 set_yticklabels:1
                set_yticks:2 supxlabel:1 supylabel:1"""
        ),
        "set": signature("", "title xlabel ylabel xlim ylim xticks yticks xscale=literal yscale=literal"),
        "set_xscale": signature("literal"),
        "set_yscale": signature("literal"),
    }
)
"""Methods that are called directly where matplotlib is imported, whatever they belong to."""
