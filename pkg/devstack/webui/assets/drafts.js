// Drafts of the editor. The browser stores unsaved text, without its secrets. The editor
// of the same configuration offers it when it opens again.
"use strict";

// knownValue matches the JSON text of a secret that was not typed: the dots of a stored
// secret, a variable, a reference to the environment, or an empty value.
const knownValue = String.raw`(?:"••••[•\da-f]*"|"\{\{[^"\\{}]*\}\}"|""|null|true|false|\[\s*\]|\{\s*(?:"env"\s*:\s*"[^"\\]*"\s*)?\})`;
const known = new RegExp(`^${knownValue}$`);
const typedSecret = new RegExp(String.raw`(?:(?:^|["'\s{,])#[^:\n]*|\bvalue["']?\s*):\s*(?!${knownValue}\s*(?:[,}\]"]|$))\S`);

// withoutSecrets returns a JSON text in which typed secrets are empty: the values below
// names that begin with #, and the values of variables unless they are in the stored
// text. It returns null for a text that is not JSON and has a typed secret, because the
// secret may begin and end anywhere.
function withoutSecrets(text, stored = "") {
  try {
    JSON.parse(text);
  } catch {
    return typedSecret.test(text) ? null : text;
  }
  let kept = "";
  let done = 0;
  for (const [start, end] of secretSpans(text, stored).sort((a, b) => a[0] - b[0])) {
    if (end <= done || known.test(text.slice(start, end))) continue;
    kept += text.slice(done, start) + '""';
    done = end;
  }
  return kept + text.slice(done);
}

// secretSpans returns the ranges of a JSON text with values of secrets, or with values of
// variables that the stored text does not have.
function secretSpans(text, stored) {
  const spans = [];
  const open = [{ name: "" }]; // the objects and lists around a token
  const token = /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],"]+/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [word, name] = match;
    const inside = open[open.length - 1];
    if (name) {
      inside.name = JSON.parse(name);
      inside.from = match.index;
      inside.named ||= inside.name === "name";
    } else if (word === "{" || word === "[") {
      open.push({ name: "", start: match.index });
    } else if (word !== ",") {
      const closed = word === "}" || word === "]" ? open.pop() : null;
      if (closed && closed.named && closed.value) spans.push(closed.value);
      const around = open[open.length - 1];
      const end = match.index + word.length;
      const span = [closed ? closed.start : match.index, end];
      if (around.name.startsWith("#")) spans.push(span);
      else if (around.name === "value" && !stored.includes(text.slice(around.from, end))) around.value = span;
    }
  }
  return spans;
}

(() => {
  const form = document.getElementById("editor");
  const area = document.getElementById("document");
  const offer = document.getElementById("draft-offer");
  const prefix = "draft " + form.dataset.store + " ";
  const name = prefix + [form.dataset.component, form.dataset.config, form.dataset.row].map(encodeURIComponent).join("/");
  const longest = 30 * 24 * 3600 * 1000;

  // attempt returns null if the browser forbids storage or its storage is full.
  function attempt(change) {
    try {
      return change();
    } catch {
      return null;
    }
  }

  const read = (key) => attempt(() => JSON.parse(localStorage.getItem(key)));
  const remove = (key) => attempt(() => localStorage.removeItem(key));

  let own = null; // the draft that this window stored last; another window may have replaced it
  function write(draft) {
    attempt(() => {
      localStorage.setItem(name, JSON.stringify(draft));
      own = JSON.stringify(draft);
    });
  }

  function keep(text) {
    const kept = withoutSecrets(text, area.defaultValue);
    if (kept !== null) write({ text: kept, version: form.dataset.version, time: Date.now() });
  }

  let keeping = 0; // timer that is set while a draft waits to be stored
  form.addEventListener("editor:changed", (event) => {
    clearTimeout(keeping);
    keeping = 0;
    if (event.detail.saved) {
      if (own === null || own !== attempt(() => localStorage.getItem(name))) return;
      if (offer.hidden) remove(name);
      else write(draft); // the draft is still offered
      return;
    }
    keeping = setTimeout(() => {
      keeping = 0;
      keep(area.value);
    }, 400);
  });
  addEventListener("pagehide", () => {
    if (keeping) keep(area.value);
  });

  for (const key of attempt(() => Object.keys(localStorage)) || []) {
    if (key.startsWith("draft ") && !(Date.now() - (read(key)?.time || 0) < longest)) remove(key);
  }

  const draft = read(name);
  if (!draft || typeof draft.text !== "string" || draft.text === withoutSecrets(area.value, area.value)) return remove(name);
  const since = new Date(draft.time).toLocaleString();
  offer.querySelector("span").textContent = "You have unsaved changes from " + since + "." +
    (draft.version === form.dataset.version ? "" : " They are based on version " + draft.version + "; version " + form.dataset.version + " is stored now.") +
    " New secrets were not stored: type them again.";
  offer.hidden = false;
  document.getElementById("draft-take").addEventListener("click", () => {
    own = JSON.stringify(draft);
    offer.hidden = true;
    form.dispatchEvent(new CustomEvent("editor:replace", { detail: draft.text }));
  });
  document.getElementById("draft-drop").addEventListener("click", () => {
    remove(name);
    offer.hidden = true;
  });
})();
