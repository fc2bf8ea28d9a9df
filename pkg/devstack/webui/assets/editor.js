// The editor paints colours, line numbers and marks below a textarea with invisible text.
// The textarea is as large as its text and both scroll together, so they are always in
// step. Editing, undo and selection are left to the browser. Only lines in view have
// elements. The server computes completions, explanations and problems.
"use strict";

(() => {
  const form = document.getElementById("editor");
  const area = document.getElementById("document");
  const box = document.getElementById("editor-box");
  const layer = box.querySelector(".editor-layer");
  const gutter = box.querySelector(".editor-gutter");
  const state = document.getElementById("editor-state");
  const announcement = document.getElementById("announcement");
  document.body.classList.add("scripted");

  const lineHeight = parseFloat(getComputedStyle(area).lineHeight);
  const padding = parseFloat(getComputedStyle(area).paddingTop);
  const tab = 2;
  let text = area.value;
  let saved = area.defaultValue.replace(/\r\n/g, "\n");
  let lines = [];
  let starts = []; // offsets of lines
  let problems = [];
  let version = form.dataset.version;

  // ---- Text and lines

  function measure() {
    lines = text.split("\n");
    starts = new Array(lines.length);
    let offset = 0;
    let widest = 0;
    for (let i = 0; i < lines.length; i++) {
      starts[i] = offset;
      offset += lines[i].length + 1;
      widest = Math.max(widest, width(lines[i]));
    }
    area.rows = lines.length;
    area.style.width = "calc(" + (widest + 4) + "ch + 2rem)";
    area.style.height = lines.length * lineHeight + 2 * padding + "px";
    gutter.style.width = Math.max(3, String(lines.length).length) + 2 + "ch";
  }

  // width returns an upper bound for the number of columns of a line.
  function width(line) {
    if (line.length > 2000) return line.length * 2;
    let columns = 0;
    for (const c of line) columns += c === "\t" ? tab : c > "ÿ" ? 2 : 1;
    return columns;
  }

  function lineOf(offset) {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // ---- Painting

  const token = /("(?:[^"\\]|\\.)*"?)(\s*:)?|-?\d[\d.eE+-]*|[A-Za-z]+/g;

  function kindsOf(line) {
    const found = [];
    token.lastIndex = 0;
    for (let m = token.exec(line); m; m = token.exec(line)) {
      const end = m[1] ? m.index + m[1].length : token.lastIndex;
      const kind = m[1] ? (m[2] ? "t-key" : m[1].startsWith('"••••') ? "t-hidden" : "t-string") : /\d/.test(m[0][0]) || m[0][0] === "-" ? "t-number" : "t-word";
      found.push([m.index, end, kind]);
      token.lastIndex = Math.max(end, m.index + 1);
    }
    return found;
  }

  const longest = 5000; // maximum number of coloured characters in a line

  function paintLine(number) {
    const element = document.createElement("div");
    element.className = "editor-line";
    element.dataset.line = number;
    element.style.top = padding + number * lineHeight + "px";
    const line = lines[number];
    const start = starts[number];
    const marks = problems.filter((p) => p.start <= start + line.length && p.end >= start);
    const kinds = line.length > longest ? [] : kindsOf(line);
    const cuts = new Set([0, line.length]);
    for (const [from, to] of kinds) cuts.add(from).add(to);
    for (const p of marks) cuts.add(Math.max(0, Math.min(line.length, p.start - start))).add(Math.max(0, Math.min(line.length, p.end - start)));
    const sorted = [...cuts].sort((a, b) => a - b);
    let next = 0;
    for (let i = 0; i + 1 < sorted.length; i++) {
      const [from, to] = [sorted[i], sorted[i + 1]];
      while (next < kinds.length && kinds[next][1] <= from) next++;
      const classes = [];
      if (next < kinds.length && kinds[next][0] <= from) classes.push(kinds[next][2]);
      const here = marks.filter((p) => p.start - start < to && p.end - start > from);
      if (here.length) classes.push("mark-" + worst(here));
      if (!classes.length) {
        element.append(line.slice(from, to));
        continue;
      }
      const span = document.createElement("span");
      span.className = classes.join(" ");
      span.textContent = line.slice(from, to);
      element.append(span);
    }
    if (marks.length && marks.every((p) => p.end - start <= 0 || p.start - start >= line.length)) {
      const end = document.createElement("span"); // the problem is after the end of the line
      end.className = "mark-" + worst(marks);
      end.textContent = " ";
      element.append(end);
    }
    return element;
  }

  const worst = (list) => (list.some((p) => p.severity === "error") ? "error" : "warning");

  function paint() {
    const first = Math.max(0, Math.floor((box.scrollTop - padding) / lineHeight) - 10);
    const last = Math.min(lines.length, Math.ceil((box.scrollTop + box.clientHeight) / lineHeight) + 10);
    const current = document.activeElement === area ? lineOf(area.selectionStart) : -1;
    const painted = [];
    const numbers = [];
    for (let i = first; i < last; i++) {
      painted.push(paintLine(i));
      const number = document.createElement("span");
      const here = problems.filter((p) => lineOf(p.start) === i);
      number.className = (here.length ? worst(here) : "") + (i === current ? " here" : "");
      number.style.top = padding + i * lineHeight + "px";
      number.textContent = i + 1;
      numbers.push(number);
    }
    layer.replaceChildren(...painted);
    gutter.replaceChildren(...numbers);
  }

  let frame = 0;
  function soon() {
    if (!frame) frame = requestAnimationFrame(() => ((frame = 0), paint()));
  }

  // rect returns the rectangle of an offset in the window, or null if its line is not
  // painted.
  function rect(offset) {
    const number = lineOf(offset);
    const line = layer.querySelector('[data-line="' + number + '"]');
    if (!line) return null;
    let left = offset - starts[number];
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.length) {
        const range = document.createRange();
        range.setStart(node, left);
        range.collapse(true);
        const found = range.getBoundingClientRect();
        if (found.height) return found;
      }
      left -= node.length;
    }
    const all = line.getBoundingClientRect();
    return new DOMRect(all.left, all.top, 0, lineHeight);
  }

  // offsetAt returns the offset below the mouse pointer, or -1 beside the text.
  function offsetAt(event) {
    const number = Math.floor((event.clientY - area.getBoundingClientRect().top - padding) / lineHeight);
    if (number < 0 || number >= lines.length) return -1;
    let low = 0;
    let high = lines[number].length;
    const end = rect(starts[number] + high);
    if (!end || event.clientX > end.left) return -1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const found = rect(starts[number] + middle);
      if (found && found.left <= event.clientX) low = middle;
      else high = middle - 1;
    }
    return starts[number] + low;
  }

  // ---- Changing the text

  // replaceRange changes the text in a way that the user can undo.
  function replaceRange(start, end, insert, caret) {
    area.focus();
    area.setSelectionRange(start, end);
    const done = insert === "" ? document.execCommand("delete") : document.execCommand("insertText", false, insert);
    if (!done) area.setRangeText(insert, start, end, "end");
    if (caret !== undefined) area.setSelectionRange(start + caret, start + caret);
    changed();
  }

  function replaceAll(fresh) {
    if (fresh === area.value) return;
    const line = lineOf(area.selectionStart);
    const column = area.selectionStart - starts[line];
    const scrolled = [box.scrollLeft, box.scrollTop];
    replaceRange(0, area.value.length, fresh);
    const there = Math.min(line, lines.length - 1);
    const at = starts[there] + Math.min(column, lines[there].length);
    area.setSelectionRange(at, at);
    box.scrollTo(...scrolled);
  }

  function changed() {
    const fresh = area.value;
    if (fresh === text) return;
    shift(fresh);
    text = fresh;
    measure();
    paint();
    reveal();
    tellState();
    checkSoon();
    hideHover();
  }

  // shift moves the problems along with the text until the server sends new ones.
  function shift(fresh) {
    let same = 0;
    const shorter = Math.min(text.length, fresh.length);
    while (same < shorter && text[same] === fresh[same]) same++;
    const by = fresh.length - text.length;
    for (const p of problems) {
      if (p.start >= same) p.start = Math.max(same, p.start + by);
      if (p.end >= same) p.end = Math.max(p.start, p.end + by);
    }
  }

  // reveal scrolls so that the cursor is in view.
  function reveal() {
    const number = lineOf(area.selectionEnd);
    const top = number * lineHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + lineHeight + 2 * padding > box.scrollTop + box.clientHeight) box.scrollTop = top + lineHeight + 2 * padding - box.clientHeight;
    const at = rect(area.selectionEnd);
    if (!at) return;
    const inner = box.getBoundingClientRect();
    const left = inner.left + gutter.offsetWidth;
    if (at.left < left + 8) box.scrollLeft -= left + 24 - at.left;
    if (at.left > inner.right - 24) box.scrollLeft += at.left - inner.right + 48;
  }

  function tellState(message) {
    const isSaved = area.value === saved;
    if (message) state.textContent = message;
    else state.textContent = isSaved ? "" : "Not saved.";
    form.dispatchEvent(new CustomEvent("editor:changed", { detail: { saved: isSaved } }));
  }

  // ---- Requests to the server

  // asker returns a function that sends one kind of request. A new request cancels the
  // previous one. failed is called if the newest request fails.
  function asker(failed = () => {}) {
    let running = null;
    return async (question) => {
      if (running) running.abort();
      const mine = (running = new AbortController());
      try {
        const response = await request(form.dataset.assist, {
          method: "POST",
          signal: mine.signal,
          headers: { "Content-Type": "application/json", Accept: "application/json" },
          body: JSON.stringify({ row: form.dataset.row, document: area.value, cursor: 0, ...question }),
        }, true);
        const reply = await response.json();
        if (!response.ok) throw new Error(reply.problem);
        return running === mine ? reply : null;
      } catch (problem) {
        if (running === mine) failed(problem);
        return null;
      }
    };
  }
  const askProblems = asker(notChecked);
  const askCompletions = asker();
  const askHover = asker();

  let checking = 0;
  function checkSoon() {
    clearTimeout(checking);
    checking = setTimeout(check, 250);
  }

  async function check() {
    const asked = area.value;
    const found = await askProblems({ want: "findings" });
    if (!found || area.value !== asked) return;
    problems = found.list || [];
    listProblems(found);
    paint();
  }

  // notChecked reports that the text could not be checked, and checks again later.
  function notChecked(problem) {
    const why = problem instanceof TypeError || problem instanceof SyntaxError ? "The local platform does not respond." : problem.message;
    const said = element("p", "alert", why + " The text has not been checked.");
    if (problem instanceof LoggedOut) {
      const again = element("button", "button", "Log in");
      again.type = "button";
      again.onclick = () => login(false).then(check, () => {});
      said.append(" ", again);
    }
    document.getElementById("findings").replaceChildren(said);
    problems = [];
    paint();
    clearTimeout(checking);
    if (!(problem instanceof LoggedOut)) checking = setTimeout(check, 2000);
  }

  function element(name, className, ...content) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content);
    return made;
  }

  function listProblems(found) {
    const place = document.getElementById("findings");
    const before = place.querySelectorAll("li").length;
    if (!problems.length) {
      place.replaceChildren(element("p", "quiet", "No problems found."));
      if (before) announcement.textContent = "No problems found.";
      return;
    }
    const list = element("ol", "finding-list");
    for (const p of problems) {
      const line = element("a", "finding-line", "line " + p.line);
      line.href = "#document";
      line.dataset.start = p.start;
      line.dataset.end = p.end;
      const said = element("div", "", element("p", "", p.message));
      if (p.hint) said.append(element("p", "quiet", p.hint));
      const code = element(p.code ? "a" : "span", "finding-code", p.code);
      if (p.code) Object.assign(code, { href: form.dataset.explain + encodeURIComponent(p.code), target: "_blank", rel: "noopener" });
      list.append(element("li", p.severity, line, said, code));
    }
    place.replaceChildren(list);
    if (found.omitted) place.append(element("p", "quiet", found.omitted + " more problems not listed."));
    if (problems.length !== before) announcement.textContent = problems.length === 1 ? "1 problem." : problems.length + " problems.";
  }

  document.getElementById("findings").addEventListener("click", (event) => {
    const link = event.target.closest(".finding-line");
    if (!link) return;
    event.preventDefault();
    look(+link.dataset.start, +link.dataset.end);
  });

  // look selects a range of the text and scrolls to it.
  function look(start, end) {
    area.focus({ preventScroll: true });
    area.setSelectionRange(start, Math.max(start, end));
    box.scrollTop = Math.max(0, lineOf(start) * lineHeight - box.clientHeight / 3);
    paint();
    const inner = box.getBoundingClientRect();
    if (inner.top < 0 || inner.bottom > innerHeight) box.scrollIntoView({ block: "nearest" });
    reveal();
  }

  // ---- Boxes at the text

  const list = element("ul", "editor-choices");
  list.id = "editor-choices";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Completions");
  const about = element("div", "editor-about");
  const choices = element("div", "editor-popup", list, about);
  const hover = element("div", "editor-popup editor-hover");
  hover.setAttribute("role", "tooltip");
  choices.hidden = hover.hidden = true;
  document.body.append(choices, hover);
  area.setAttribute("aria-controls", "editor-choices");
  area.setAttribute("aria-autocomplete", "list");

  function put(popup, offset) {
    const at = rect(offset);
    if (!at) return;
    popup.hidden = false;
    const size = popup.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8));
    const below = at.bottom + 4 + size.height <= innerHeight || at.top < size.height;
    popup.style.left = left + scrollX + "px";
    popup.style.top = (below ? at.bottom + 4 : at.top - size.height - 4) + scrollY + "px";
  }

  // prose returns a paragraph. Names in backticks become code elements.
  function prose(doc) {
    const p = element("p", "");
    (doc || "").split("`").forEach((part, i) => part && p.append(i % 2 ? element("code", "", part) : part));
    return p;
  }

  // ---- Completion

  let offered = null; // {text, cursor, items}
  let chosen = 0;
  let completing = 0;

  async function complete(wanted) {
    clearTimeout(completing);
    const asked = { text: area.value, cursor: area.selectionStart };
    if (area.selectionStart !== area.selectionEnd) return;
    const response = await askCompletions({ want: "completions", cursor: asked.cursor });
    if (!response || area.value !== asked.text || area.selectionStart !== asked.cursor) return;
    const items = response.items || [];
    if (!items.length) {
      hideChoices();
      if (wanted) announcement.textContent = "Nothing to complete here.";
      return;
    }
    offered = { ...asked, items };
    list.replaceChildren(...items.map((item, i) => {
      const entry = element("li", "", element("span", "choice-label", item.label), element("span", "choice-kind", item.kind === "key" ? item.detail || "" : item.kind));
      entry.id = "editor-choice-" + i;
      entry.setAttribute("role", "option");
      entry.addEventListener("mousedown", (event) => {
        event.preventDefault();
        take(i);
      });
      return entry;
    }));
    choose(0);
    put(choices, asked.cursor);
  }

  function choose(i) {
    chosen = (i + offered.items.length) % offered.items.length;
    const item = offered.items[chosen];
    [...list.children].forEach((entry, k) => entry.setAttribute("aria-selected", k === chosen));
    list.children[chosen].scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", "editor-choice-" + chosen);
    about.replaceChildren(element("b", "", item.label), element("span", "quiet", item.detail || item.kind), prose(item.doc));
    about.hidden = !item.doc && !item.detail;
  }

  function take(i) {
    const item = offered.items[i];
    hideChoices();
    replaceRange(item.start, item.end, item.insert, item.caret);
    if (item.caret < item.insert.length || item.insert.endsWith(": ")) completeSoon();
  }

  function hideChoices() {
    offered = null;
    choices.hidden = true;
    area.removeAttribute("aria-activedescendant");
    clearTimeout(completing);
  }

  // inText reports whether the cursor is in a JSON string.
  function inText() {
    const line = lines[lineOf(area.selectionStart)];
    const before = line.slice(0, area.selectionStart - starts[lineOf(area.selectionStart)]).replace(/\\./g, "");
    return before.split('"').length % 2 === 0;
  }

  function completeSoon() {
    clearTimeout(completing);
    completing = setTimeout(() => complete(false), 90);
  }

  const current = () => offered && offered.text === area.value && offered.cursor === area.selectionStart;

  // ---- Explanations

  let hovering = 0;
  let hovered = -1;

  async function explain(offset, byKey) {
    const asked = area.value;
    const h = await askHover({ want: "hover", cursor: offset });
    if (!h || area.value !== asked || (!byKey && hovered !== offset)) return;
    const here = problems.filter((p) => p.start <= offset && offset <= p.end);
    if (!h.title && !here.length) {
      hideHover();
      if (byKey) announcement.textContent = "Nothing to explain here.";
      return;
    }
    hover.replaceChildren();
    for (const p of here) {
      hover.append(element("p", "hover-" + p.severity, p.message));
      if (p.hint) hover.append(element("p", "quiet", p.hint));
    }
    if (h.title) {
      hover.append(element("p", "", element("b", "", h.title), " ", element("span", "quiet", h.detail || "")), prose(h.doc));
      for (const example of (h.examples || []).slice(0, 3)) hover.append(element("code", "hover-example", example));
    }
    put(hover, h.title ? h.start : offset);
    if (byKey) announcement.textContent = hover.textContent;
  }

  function hideHover() {
    hover.hidden = true;
    hovered = -1;
    clearTimeout(hovering);
  }

  area.addEventListener("mousemove", (event) => {
    if (event.buttons || offered) return;
    clearTimeout(hovering);
    const { clientX, clientY } = event;
    hovering = setTimeout(() => {
      const offset = offsetAt({ clientX, clientY });
      if (offset < 0) return hideHover();
      hovered = offset;
      explain(offset, false);
    }, 350);
  });
  area.addEventListener("mouseleave", hideHover);

  // ---- Keys

  let leaving = false;

  area.addEventListener("keydown", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.isComposing) return;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      complete(true);
      return;
    }
    if (event.key === "F1") {
      event.preventDefault();
      explain(area.selectionStart, true);
      return;
    }
    if (event.key === "Escape") {
      leaving = !offered && hover.hidden;
      if (leaving) announcement.textContent = "Tab leaves the editor.";
      hideChoices();
      hideHover();
      return;
    }
    if (current() && plain) {
      const keys = { ArrowDown: () => choose(chosen + 1), ArrowUp: () => choose(chosen - 1), PageDown: () => choose(Math.min(chosen + 8, offered.items.length - 1)), PageUp: () => choose(Math.max(chosen - 8, 0)), Enter: () => take(chosen), Tab: () => take(chosen) };
      if (keys[event.key] && !event.shiftKey) {
        event.preventDefault();
        keys[event.key]();
        return;
      }
    }
    if (event.key === "Tab" && plain) {
      if (leaving) return;
      event.preventDefault();
      indent(event.shiftKey);
    } else if (event.key === "Enter" && plain && !event.shiftKey) {
      event.preventDefault();
      newLine();
    }
    if (event.key !== "Shift") leaving = false;
  });

  function indent(back) {
    const [start, end] = [area.selectionStart, area.selectionEnd];
    if (!back && start === end) {
      replaceRange(start, end, " ".repeat(tab));
      return;
    }
    const first = lineOf(start);
    const last = Math.max(first, lineOf(Math.max(start, end - 1)));
    const from = starts[first];
    const to = starts[last] + lines[last].length;
    const fresh = lines.slice(first, last + 1).map((line) => (back ? line.replace(/^( {1,2}|\t)/, "") : " ".repeat(tab) + line)).join("\n");
    if (fresh === text.slice(from, to)) return;
    const grown = fresh.length - (to - from);
    replaceRange(from, to, fresh);
    if (start === end) area.setSelectionRange(Math.max(from, start + grown), Math.max(from, start + grown));
    else area.setSelectionRange(from, from + fresh.length);
  }

  function newLine() {
    const [start, end] = [area.selectionStart, area.selectionEnd];
    const line = lines[lineOf(start)].slice(0, start - starts[lineOf(start)]);
    const margin = line.match(/^[ \t]*/)[0];
    const opens = /[{[]\s*$/.test(line);
    const closes = /^\s*[}\]]/.test(text.slice(end, end + 200));
    const inner = "\n" + margin + (opens ? " ".repeat(tab) : "");
    if (opens && closes) replaceRange(start, end, inner + "\n" + margin, inner.length);
    else replaceRange(start, end, inner);
  }

  area.addEventListener("input", (event) => {
    changed();
    const typed = event.data || "";
    const deleted = event.inputType && event.inputType.startsWith("delete");
    if (typed.length === 1 && /["A-Za-z0-9_#{$.-]/.test(typed) && (typed !== '"' || inText())) completeSoon();
    else if (deleted && (offered || inText())) completeSoon();
    else if (event.inputType) hideChoices();
  });
  document.addEventListener("selectionchange", () => {
    if (document.activeElement !== area) return;
    if (offered && !current()) completeSoon();
    soon();
  });
  area.addEventListener("blur", () => {
    hideChoices();
    hideHover();
    soon();
  });
  area.addEventListener("focus", () => (leaving = false));
  box.addEventListener("scroll", () => {
    soon();
    hideHover();
    if (offered) hideChoices();
  });
  new ResizeObserver(soon).observe(box);
  gutter.addEventListener("mousedown", (event) => {
    const number = Math.floor((event.clientY - gutter.getBoundingClientRect().top - padding) / lineHeight);
    if (number < 0 || number >= lines.length) return;
    event.preventDefault();
    look(starts[number], starts[number] + lines[number].length);
  });

  // ---- Saving

  const problem = document.getElementById("editor-problem");
  function complain(message) {
    problem.textContent = message || "";
    problem.hidden = !message;
  }

  async function send(what) {
    const body = new URLSearchParams(new FormData(form));
    body.set("do", what);
    const sent = area.value;
    complain("");
    let reply;
    try {
      const response = await request(form.action, { method: "POST", headers: { Accept: "application/json" }, body });
      reply = await response.json();
    } catch (problem) {
      complain((problem instanceof LoggedOut ? "You are logged out." : "The local platform does not respond.") + " Nothing was saved.");
      return;
    }
    if (reply.problem) {
      complain(reply.problem);
      return;
    }
    const typed = area.value !== sent; // changed while the request was sent
    if (reply.document !== undefined && !typed) replaceAll(reply.document);
    if (what !== "save") {
      announcement.textContent = "Formatted.";
      return;
    }
    saved = typed ? reply.document : area.value;
    version = String(reply.version);
    form.dataset.version = version;
    document.getElementById("editor-base").value = reply.base;
    document.getElementById("editor-version").textContent = "version " + version;
    document.getElementById("comment").value = "";
    tellState(reply.message);
    check();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.submitter && event.submitter.value === "format" ? "format" : "save");
  });
  form.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s") {
      event.preventDefault();
      send("save");
    }
  });
  addEventListener("beforeunload", (event) => {
    if (area.value !== saved) event.preventDefault();
  });

  // A link in the panel of a try selects a setting.
  form.addEventListener("editor:show", (event) => {
    event.preventDefault();
    look(event.detail.start, event.detail.end);
  });

  // The user takes the draft that is offered.
  form.addEventListener("editor:replace", (event) => replaceAll(event.detail));

  // ---- Begin

  measure();
  paint();
  check();
  if (+form.dataset.at >= 0) {
    const at = +form.dataset.at;
    const scalar = text.slice(at).match(/^"((?:[^"\\]|\\.)*)"|^[^\s,{}[\]]+/);
    if (scalar && scalar[1] !== undefined) look(at + 1, at + 1 + scalar[1].length);
    else look(at, at + (scalar ? scalar[0].length : 1));
  }
})();
