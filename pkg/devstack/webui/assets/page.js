// Live updates: the server sends HTML, and this script puts it into the page. Without the
// script every page is complete, but shows the state of its last reload.
"use strict";

const shownEvents = 300;

// settle adapts new HTML to the page: it shows times in the browser's time zone and
// scrolls to the marked line of a long document.
function settle(root) {
  for (const time of root.querySelectorAll("time[data-form]")) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    const two = (n) => String(n).padStart(2, "0");
    const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
    if (time.dataset.form === "clock") {
      time.textContent = clock + "." + String(at.getMilliseconds()).padStart(3, "0");
    } else {
      time.textContent = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-") + " " + clock;
    }
  }
  for (const code of root.querySelectorAll(".code")) {
    const marked = code.querySelector(".marked");
    if (marked) code.scrollTop = marked.offsetTop - (code.clientHeight - marked.offsetHeight) / 3;
  }
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

// replace exchanges elements by their ids and keeps the focus.
function replace(html) {
  for (const fresh of [...parse(html).children]) {
    const old = document.getElementById(fresh.id);
    if (!old) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const scrolled = [...old.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
    old.replaceWith(fresh);
    settle(fresh);
    [...fresh.querySelectorAll(".scroll")].forEach((box, i) => scrolled[i] && box.scrollTo(...scrolled[i]));
    if (focused) refocus(fresh, focused);
    if (fresh.dataset.title) document.title = fresh.dataset.title + " · Local platform";
    const said = fresh.dataset.announce;
    if (said && old.dataset.announce !== said) document.getElementById("announcement").textContent = said;
  }
}

function refocus(fresh, focused) {
  const href = focused.getAttribute("href");
  const same = [...fresh.querySelectorAll("a, [tabindex]")].find((element) =>
    href ? element.getAttribute("href") === href : element.className === focused.className);
  if (same) same.focus({ preventScroll: true });
}

// The log follows its end until the user scrolls away from it. A change of its size, or
// of the size of its lines, does not count as scrolling.
let atEnd = true;
let size = "";
const sizeOf = (log) => log.clientHeight + " " + log.scrollHeight;
const pinned = new ResizeObserver(() => {
  const log = document.getElementById("log");
  if (!log) return;
  size = sizeOf(log);
  if (atEnd) log.scrollTop = log.scrollHeight;
});

function watchLog() {
  const log = document.getElementById("log");
  pinned.disconnect();
  if (!log) return;
  atEnd = document.body.dataset.stream !== undefined && log.dataset.live !== undefined;
  size = sizeOf(log);
  log.addEventListener("scroll", () => {
    if (sizeOf(log) === size) atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  });
  pinned.observe(log);
  pinned.observe(log.firstElementChild);
  if (atEnd) log.scrollTop = log.scrollHeight;
}

// append adds lines to the events and follows the end.
function append(html) {
  const log = document.getElementById("log");
  const events = document.getElementById("events");
  if (!events) return;
  const lines = parse(html);
  settle(lines);
  for (const line of [...lines.children]) {
    if (!document.getElementById(line.id)) events.append(line);
  }
  log.querySelector(".nothing")?.remove();
  while (events.rows.length > shownEvents) events.rows[0].remove();
  size = sizeOf(log);
  if (atEnd) log.scrollTop = log.scrollHeight;
}

// show fetches the page in another state, given by its URL, and exchanges one part of it.
let wanted = 0;
async function show(address, part) {
  const turn = ++wanted;
  let text = "";
  try {
    const response = await request(address);
    if (response.ok) text = await response.text();
  } catch {
    // location.assign below makes the browser show why the page cannot be loaded.
  }
  if (turn !== wanted) return; // a newer call has replaced this one
  if (!text) return location.assign(address);
  const other = new DOMParser().parseFromString(text, "text/html");
  const fresh = other.getElementById(part);
  const old = document.getElementById(part);
  if (!fresh || !old) return location.assign(address);
  const moved = document.adoptNode(fresh);
  old.replaceWith(moved);
  settle(moved);
  const to = new URL(address, location.href);
  to.hash = "";
  history.replaceState(null, "", to);
  // Forms keep the state of the other lists.
  for (const form of document.querySelectorAll("form[data-part]")) {
    const same = [...other.querySelectorAll("form[data-part]")].find((f) => f.dataset.part === form.dataset.part);
    for (const field of form.querySelectorAll("input[type=hidden]")) field.remove();
    if (same) form.prepend(...[...same.querySelectorAll("input[type=hidden]")].map((f) => document.adoptNode(f)));
  }
  if (part === "job-events") watchLog();
  if (document.body.dataset.stream && other.body.dataset.stream) {
    document.body.dataset.stream = other.body.dataset.stream;
    following?.restart(document.body.dataset.stream);
  }
  const total = moved.querySelectorAll("tbody tr").length;
  document.getElementById("announcement").textContent = total + (total === 1 ? " row" : " rows");
}

function addressOf(form) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") query.append(name, value);
  const text = query.toString();
  return form.action.split("?")[0] + (text ? "?" + text : "");
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-part]");
  if (!form) return;
  event.preventDefault();
  show(addressOf(form), form.dataset.part);
});
document.addEventListener("change", (event) => event.target.closest("form[data-part]") && event.target.type !== "search" && event.target.form.requestSubmit());
let typing = 0;
document.addEventListener("input", (event) => {
  const form = event.target.type === "search" && event.target.closest("form[data-part]");
  if (!form) return;
  clearTimeout(typing);
  typing = setTimeout(() => form.requestSubmit(), 250);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("nav.paging a, th.sortable a");
  const part = link && link.closest("[data-swap], #job-events, #job-requests");
  if (!part || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(link.href, part.id);
});

// follow listens while the page is visible. A browser has few connections to one server,
// and hidden pages must not use all of them.
function follow(address) {
  let current = address;
  const live = document.getElementById("live");
  const state = (name, text) => {
    live.dataset.state = name;
    document.getElementById("live-text").textContent = text;
  };
  let source = null;
  let last = "";
  let ended = false;
  const open = () => {
    if (source || ended || document.hidden) return;
    const from = new URL(current, location.href);
    if (last) from.searchParams.set("after", last);
    source = new EventSource(from);
    source.addEventListener("open", () => state("on", "live"));
    source.addEventListener("error", () => {
      if (source && source.readyState === EventSource.CLOSED) state("off", "connection lost, reload the page");
      else state("off", "connection lost, reconnecting");
    });
    source.addEventListener("replace", (event) => replace(event.data));
    source.addEventListener("append", (event) => {
      append(event.data);
      last = event.lastEventId;
    });
    source.addEventListener("end", () => {
      ended = true;
      close();
      state("done", "finished");
    });
  };
  const close = () => {
    if (source) source.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
  return {
    restart(address) {
      current = address;
      last = "";
      close();
      open();
    },
  };
}

settle(document);
watchLog();
const following = document.body.dataset.stream ? follow(document.body.dataset.stream) : null;
