// The panel of a try. Without this script its buttons and links lead to pages with the
// same content.
"use strict";

const tryPart = (id) => document.getElementById(id);

// fetchPage returns a page of the platform as a document.
async function fetchPage(address, options) {
  const response = await request(address, options);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { ok: response.ok, page };
}

// announceTry makes a screen reader speak a text.
function announceTry(text) {
  const live = tryPart("announcement");
  if (live && text) live.textContent = text;
}

function tryProblem(text) {
  const problem = tryPart("try-problem");
  if (!problem) return;
  problem.hidden = !text;
  problem.textContent = text;
}

let trySource = null;

// followTry shows a running try until its end.
function followTry() {
  if (trySource) trySource.close();
  trySource = null;
  const result = tryPart("try-result");
  if (!result || !result.dataset.stream) return settleTry();
  trySource = new EventSource(result.dataset.stream);
  trySource.addEventListener("error", () => {
    if (!trySource || trySource.readyState !== EventSource.CLOSED) return;
    trySource = null;
    settleTry();
    tryProblem("The connection was lost. If the local platform was restarted, the try has ended.");
  });
  trySource.addEventListener("replace", (event) => replace(event.data));
  trySource.addEventListener("end", () => {
    trySource.close();
    trySource = null;
    settleTry();
    announceTry(tryPart("try-result").dataset.announce);
  });
  for (const button of document.querySelectorAll("#try-start, #try-replay")) button.disabled = true;
}

// settleTry prepares the panel for the next try.
function settleTry() {
  const result = tryPart("try-result");
  const replay = tryPart("try-replay");
  for (const button of document.querySelectorAll("#try-start, #try-replay")) button.disabled = false;
  if (!replay || !result) return;
  replay.hidden = !result.dataset.recorded;
  replay.value = result.dataset.try;
}

// startTry sends the form of the editor and shows the try that it started.
async function startTry(button) {
  // FormData omits disabled buttons, so the buttons are disabled afterwards.
  const body = new URLSearchParams(new FormData(button.form, button));
  tryProblem("");
  for (const one of document.querySelectorAll("#try-start, #try-replay")) one.disabled = true;
  try {
    const { ok, page } = await fetchPage(button.formAction, { method: "POST", body });
    const fresh = page.getElementById("try-result");
    if (!ok || !fresh) throw new Error(page.getElementById("message")?.textContent.trim() || "The try did not start.");
    tryPart("try-place").replaceChildren(document.adoptNode(fresh));
    settle(fresh);
    announceTry(fresh.dataset.announce);
    followTry();
  } catch (problem) {
    settleTry();
    tryProblem(problem instanceof TypeError ? "The local platform does not respond. Try again when it is running." : problem.message);
  }
}

// openRequest shows a request beside the tree.
async function openRequest(link) {
  const place = tryPart("try-open");
  const { page } = await fetchPage(link.href);
  const request = page.getElementById("try-request");
  if (!request) {
    location.href = link.href;
    return;
  }
  place.replaceChildren(document.adoptNode(request));
  settle(request);
  for (const other of document.querySelectorAll(".tree-request[aria-current]")) other.removeAttribute("aria-current");
  const path = new URL(link.href).pathname;
  for (const other of document.querySelectorAll("#try-tree .tree-request")) {
    if (new URL(other.href).pathname === path) other.setAttribute("aria-current", "true");
  }
  tryPart("try-request-title").focus({ preventScroll: true });
  const box = place.getBoundingClientRect();
  if (box.top < 0 || box.top > innerHeight - 120) place.scrollIntoView({ block: "start" });
  const marked = place.querySelector(".try-code .is-next, .try-code .is-data");
  const code = place.querySelector(".try-response .try-code");
  if (marked && code && code.contains(marked)) code.scrollTop = Math.max(0, marked.offsetTop - code.clientHeight / 3);
}

// turnTree shows another part of the tree.
async function turnTree(link) {
  const { page } = await fetchPage(link.href);
  const tree = page.getElementById("try-tree");
  if (!tree) return;
  tryPart("try-tree").replaceWith(document.adoptNode(tree));
  tryPart("try-tree").focus({ preventScroll: true });
}

// placeOf returns the range of the value at a JSON pointer in a text, or of the nearest
// value around it. It returns null if the text is not JSON.
function placeOf(text, pointer) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const names = pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const sign = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  const open = [];
  let found = null;
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    const [word] = match;
    const inside = open[open.length - 1];
    if (word === "," || word === ":") {
      if (word === "," && inside.list) inside.name = String(+inside.name + 1);
      if (word === ",") inside.named = false;
      continue;
    }
    if (word === "}" || word === "]") {
      open.pop();
      continue;
    }
    if (inside && !inside.list && !inside.named) {
      inside.named = true;
      inside.name = JSON.parse(word);
      continue;
    }
    const depth = open.length;
    if (depth <= names.length && open.every((one, i) => one.name === names[i]) && (!found || depth > found.depth)) {
      const quoted = word[0] === '"' ? 1 : 0;
      found = { depth, start: match.index + quoted, end: match.index + word.length - quoted };
    }
    if (word === "{" || word === "[") open.push({ list: word === "[", name: "0", named: false });
  }
  return found;
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const button = event.target.closest("#try-start, #try-replay");
  if (button) {
    event.preventDefault();
    startTry(button);
    return;
  }
  const link = event.target.closest("a");
  if (!link || !link.closest("#try-result")) return;
  if (link.matches(".tree-request")) {
    event.preventDefault();
    openRequest(link);
  } else if (link.closest(".tree-more")) {
    event.preventDefault();
    turnTree(link);
  } else if (link.matches(".try-edit") && tryPart("editor")) {
    // The editor shows the setting in its current text. Otherwise the link leads to the
    // setting.
    const detail = placeOf(tryPart("document").value, link.dataset.at);
    if (detail && !tryPart("editor").dispatchEvent(new CustomEvent("editor:show", { detail, cancelable: true }))) event.preventDefault();
  }
});

document.addEventListener("submit", (event) => {
  if (!event.target.querySelector("#try-cancel")) return;
  event.preventDefault();
  request(event.target.action, { method: "POST" }).catch((problem) => tryProblem(problem.message));
});

document.addEventListener("keydown", (event) => {
  const start = tryPart("try-start");
  if (start && !start.disabled && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    startTry(start);
    return;
  }
  // Arrow keys move between the requests of the tree.
  if (!["ArrowDown", "ArrowUp"].includes(event.key) || !event.target.matches("#try-tree .tree-request")) return;
  const all = [...document.querySelectorAll("#try-tree .tree-request")].filter((link) => link.offsetParent);
  const next = all[all.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
  if (next) {
    event.preventDefault();
    next.focus();
  }
});

followTry();
