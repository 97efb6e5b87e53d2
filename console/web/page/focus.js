// The page is a terminal: what is typed belongs to it at once, and again after the window was left.
function focus() {
  const { classList } = document.body;
  if (classList.contains("-first-byte") && !classList.contains("-closed")) {
    document.querySelector(".xterm-helper-textarea")?.focus();
  }
}
new MutationObserver(focus).observe(document.body, { attributes: true, attributeFilter: ["class"] });
window.addEventListener("focus", focus);
