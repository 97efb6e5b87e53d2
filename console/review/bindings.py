"""The keys of Review."""

from __future__ import annotations

from textual.binding import Binding, BindingType

_RESOLVE = Binding.Group("Resolve", compact=True)
_QUEUE = Binding.Group("Submission", compact=True)

BINDINGS: list[BindingType] = [
    Binding("ctrl+y", "approve", "Approve", id="review.approve",
            tooltip="Approve exactly what is displayed, or with fewer permissions"),
    Binding("d", "deny", "Deny", id="review.deny", tooltip="Deny, with a reason"),
    Binding("n", "violation(1)", "Next", id="review.next", tooltip="Next violation"),
    Binding("p", "violation(-1)", "Previous", id="review.previous", show=False,
            tooltip="Previous violation"),
    Binding("space", "next_unread", "Unread", id="review.next-unread",
            tooltip="Go to what was not displayed yet"),
    Binding("a", "triage('accepted')", "Accept", id="review.accept", group=_RESOLVE,
            tooltip="Accept the violation: the code may do this"),
    Binding("m", "triage('mitigated')", "Mitigated", id="review.mitigate", group=_RESOLVE,
            tooltip="Mitigated: something else prevents the harm"),
    Binding("x", "triage('false-positive')", "False positive", id="review.false-positive", group=_RESOLVE,
            tooltip="The violation is a false positive"),
    Binding("left_square_bracket", "submission(-1)", "Previous submission", key_display="[", group=_QUEUE,
            id="review.previous-submission", tooltip="Previous submission in the queue"),
    Binding("right_square_bracket", "submission(1)", "Next submission", key_display="]", group=_QUEUE,
            id="review.next-submission", tooltip="Next submission in the queue"),
    Binding("l", "queue('list')", "List", id="review.list", show=False,
            tooltip="Go to the list of submissions; on a narrow screen, show all of it"),
    Binding("o", "queue('order')", "Order", id="review.order", show=False,
            tooltip="Sort the list by priority, age or agent"),
    Binding("f", "queue('filter')", "Filter", id="review.filter", show=False,
            tooltip="Filter the list by text, level, agent or language"),
    Binding("e", "queue('mark')", "Mark", id="review.mark", show=False,
            tooltip="Mark a submission: deny and claim then act on all that are marked"),
    Binding("E", "queue('mark_all')", "Mark all", id="review.mark-all", show=False,
            tooltip="Mark all listed submissions, or remove every mark"),
    Binding("down", "scroll_code('scroll', 1)", "Down", id="review.down", show=False,
            tooltip="Scroll the code one line down"),
    Binding("up", "scroll_code('scroll', -1)", "Up", id="review.up", show=False,
            tooltip="Scroll the code one line up"),
    Binding("pagedown", "scroll_code('page', 1)", "Page down", id="review.page-down", show=False,
            tooltip="Scroll the code one page down"),
    Binding("pageup", "scroll_code('page', -1)", "Page up", id="review.page-up", show=False,
            tooltip="Scroll the code one page up"),
    Binding("slash", "search", "Search", key_display="/", id="review.search", show=False,
            tooltip="Search in the code"),
    Binding("full_stop", "hit(1)", "Next match", key_display=".", show=False, id="review.next-match",
            tooltip="Next match of the search"),
    Binding("comma", "hit(-1)", "Previous match", key_display=",", show=False, id="review.previous-match",
            tooltip="Previous match of the search"),
    Binding("g", "line", "Go to line", id="review.line", tooltip="Go to a line by its number", show=False),
    Binding("w", "wrap", "Wrap", id="review.wrap", tooltip="Toggle wrapping of long lines", show=False),
    Binding("minus", "fold", "Fold", key_display="-", show=False, id="review.fold",
            tooltip="Fold the block of the violation, or the one at the top"),
    Binding("plus", "unfold", "Unfold", key_display="+", show=False, id="review.unfold",
            tooltip="Unfold every block"),
    Binding("z", "zoom", "Zoom", id="review.zoom", show=False, tooltip="Toggle code only"),
    Binding("i", "panel", "Permissions", id="review.panel", tooltip="Toggle details/permissions"),
    Binding("v", "files", "Files", id="review.files", tooltip="View the input files"),
    Binding("c", "compare", "Compare", id="review.compare",
            tooltip="Compare with the most similar approved submission"),
    Binding("t", "claim", "Claim", id="review.claim", show=False,
            tooltip="Claim or release the submission: others cannot approve it meanwhile"),
    Binding("s", "pre_approve", "Pre-approve", id="review.pre-approve", show=False,
            tooltip="Pre-approve submissions identical to the last one that you approved"),
    Binding("S", "pre_approvals", "Pre-approvals", id="review.pre-approvals", show=False,
            tooltip="List and revoke pre-approvals"),
    Binding("escape", "leave", "Close", id="review.leave", show=False, tooltip="Close the search line"),
]  # fmt: skip

READING = frozenset(
    {"search", "line", "wrap", "fold", "unfold", "panel", "zoom", "next_unread", "compare", "claim"}
)
"""The actions that need a submission on screen."""
