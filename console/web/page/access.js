// Exchanges the one-time token of the address for a secret, which only pages of this origin can read,
// and opens the console with it. The secret stays in this tab; it is sent to this host and port alone.
const KEY = "pratique";

async function secretOf(token) {
  if (!token) return sessionStorage.getItem(KEY);
  history.replaceState(null, "", "/");
  const answer = await fetch("/session", { method: "POST", headers: { "Pratique-Token": token } });
  if (answer.ok) sessionStorage.setItem(KEY, await answer.text());
  return answer.ok ? sessionStorage.getItem(KEY) : null;
}

async function start() {
  const secret = await secretOf(decodeURIComponent(location.hash.slice(1)));
  if (!secret) {
    document.body.classList.add("-denied");
    return;
  }
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(url) {
      super(url, ["pratique", `secret.${secret}`]);
    }
  };
  const terminal = document.createElement("script");
  terminal.src = "/static/js/textual.js";
  terminal.addEventListener("load", () => window.onload());
  document.body.append(terminal);
}

window.addEventListener("load", start);
