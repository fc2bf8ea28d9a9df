// What happens while one looks: the server sends HTML, this puts it in its
// place. Without it every page is whole, and as old as its last reload.
"use strict";

const shownEvents = 1000;

// settle makes new HTML feel at home: times in the browser's zone, the marked
// line of a long document in view.
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

// replace exchanges elements by their ids and keeps the focus where it was.
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

// append adds lines to the events, and goes along when the last one was in view.
function append(html) {
  const log = document.getElementById("log");
  const events = document.getElementById("events");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  const lines = parse(html);
  settle(lines);
  for (const line of [...lines.children]) {
    if (!document.getElementById(line.id)) events.append(line);
  }
  while (events.rows.length > shownEvents) events.rows[0].remove();
  if (atEnd) log.scrollTop = log.scrollHeight;
}

// follow listens as long as the page is in view: a browser has few connections
// to one server, and hidden pages must not take them all.
function follow(address) {
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
    const from = new URL(address, location.href);
    if (last) from.searchParams.set("after", last);
    source = new EventSource(from);
    source.addEventListener("open", () => state("on", "live"));
    source.addEventListener("error", () => {
      if (source && source.readyState === EventSource.CLOSED) state("off", "connection lost, reload the page");
      else state("off", "connection lost, trying again");
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
}

settle(document);
const log = document.getElementById("log");
if (document.body.dataset.stream) {
  if (log) log.scrollTop = log.scrollHeight;
  follow(document.body.dataset.stream);
}
