// The session of this window. After a restart the platform has another session. Then the
// login opens in the same window and the request is sent again, so that no text is lost.
"use strict";

let sessionPath = (location.pathname.match(/^\/session\/[^/]+/) || [""])[0];
let loggingIn = null; // promise of the open login
let loginDismissed = false;

// request works like fetch. It throws a TypeError if the platform sends no response, and
// a LoggedOut if the user closed the login. A background request does not open a login
// that was closed.
async function request(address, options = {}, background = false) {
  for (;;) {
    const before = sessionPath;
    const headers = new Headers(options.headers);
    headers.set("X-Requested-With", "script");
    const response = await fetch(address, { ...options, headers });
    if (response.status !== 401) return response;
    if (before === sessionPath) await login(background);
    address = String(address).replace(before, sessionPath);
  }
}

class LoggedOut extends Error {}

function login(background) {
  if (!loggingIn && background && loginDismissed) return Promise.reject(new LoggedOut("You are logged out."));
  loggingIn ||= askForToken().finally(() => (loggingIn = null));
  return loggingIn;
}

function askForToken() {
  const dialog = document.getElementById("relogin");
  const form = dialog.querySelector("form");
  const refused = form.querySelector(".refused");
  form.reset();
  refused.hidden = true;
  dialog.querySelector("#relogin-later").onclick = () => dialog.close();
  dialog.showModal();
  return new Promise((resolve, reject) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      const problem = await enter(new URLSearchParams(new FormData(form)));
      refused.textContent = problem;
      refused.hidden = !problem;
      if (problem) return;
      loginDismissed = false;
      dialog.onclose = null;
      dialog.close();
      resolve();
    };
    dialog.onclose = () => {
      loginDismissed = true;
      reject(new LoggedOut("You are logged out, so nothing was sent."));
    };
  });
}

// enter logs in. It returns the reason of a failure, or "".
async function enter(body) {
  try {
    const response = await fetch("/login", { method: "POST", headers: { "X-Requested-With": "script" }, body });
    const { session, problem } = await response.json();
    if (session) moveTo(session);
    return problem || "";
  } catch {
    return "The local platform does not respond.";
  }
}

// moveTo changes every URL in this window to another session.
function moveTo(session) {
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      if (value.startsWith(sessionPath + "/")) element.setAttribute(name, session + value.slice(sessionPath.length));
    }
  }
  history.replaceState(history.state, "", session + location.pathname.slice(sessionPath.length) + location.search + location.hash);
  sessionPath = session;
}
