// Search of the gallery while the user types, and choices that take effect at once.
"use strict";

const search = document.getElementById("search");
if (search) {
  const entries = [...document.querySelectorAll("#gallery li")];
  // The server omits entries that do not match. If the page has all entries, the script
  // searches.
  if (!search.value) {
    search.addEventListener("input", () => {
      const word = search.value.trim().toLowerCase();
      let found = 0;
      for (const entry of entries) {
        entry.hidden = !entry.dataset.words.toLowerCase().includes(word);
        if (!entry.hidden) found++;
      }
      document.getElementById("gallery-none").hidden = found > 0;
    });
    search.form.addEventListener("submit", (event) => event.preventDefault());
  }
}

// The form is replaced with its page, so the listener is on the document.
if (document.getElementById("draft")) document.body.classList.add("scripted");
document.addEventListener("change", async (event) => {
  const form = event.target.form;
  if (event.target.type !== "radio" || !form || form.id !== "draft") return;
  const chosen = { name: event.target.name, value: event.target.value };
  const query = new URLSearchParams(new FormData(form));
  for (const field of ["name", "component"]) {
    if (form.elements[field].value === form.elements[field].defaultValue) query.delete(field);
  }
  const response = await request(form.action + "?" + query);
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
  if (!fresh) return;
  const place = window.scrollY;
  document.querySelector("main").replaceChildren(...fresh.childNodes);
  window.scrollTo(0, place);
  history.replaceState(null, "", form.action + "?" + query);
  const same = [...document.querySelectorAll("#draft input[type=radio]")].find((radio) => radio.name === chosen.name && radio.value === chosen.value);
  if (same) same.focus({ preventScroll: true });
  document.getElementById("announcement").textContent = "The configuration has changed.";
});
