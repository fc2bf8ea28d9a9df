"use strict";

// Shows the report that is in the page. Everything in it is set as text,
// nothing as HTML.
const report = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("report");

// make is an element with a class and children, which are elements or text.
function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== "") element.append(child);
  }
  return element;
}

const whole = new Intl.NumberFormat("en");
const figure = (n) => whole.format(n);

function duration(seconds) {
  if (seconds < 1) return Math.round(seconds * 1000) + " ms";
  if (seconds < 60) return seconds.toFixed(seconds < 10 ? 2 : 1) + " s";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + " min " + Math.floor(seconds % 60) + " s";
  return Math.floor(minutes / 60) + " h " + (minutes % 60) + " min";
}

function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i++; }
  return (i === 0 ? n : n.toFixed(1)) + " " + units[i];
}

const count = (n, noun) => figure(n) + " " + noun + (n === 1 ? "" : "s");
const pointer = (p) => p ? make("code", "", p) : "";
const under = (...what) => make("span", "under", ...what);

// column is a heading of a table with what makes a cell of an entry.
const column = (heading, cell, className = "") => ({ heading, cell, className });
const number = (heading, cell) => column(heading, cell, "figure");

// tableSection is a table with a caption; its first column names the rows.
function tableSection(id, caption, note, columns, entries, className = "", rowClass = () => "") {
  const table = make("table", className,
    make("caption", "", caption, note ? make("span", "quiet", note) : ""),
    make("thead", "", make("tr", "", columns.map((c) => {
      const th = make("th", c.className === "figure" ? "figure" : "", c.heading);
      th.scope = "col";
      return th;
    }))),
    make("tbody", "", entries.map((entry, index) => make("tr", rowClass(entry), columns.map((c, i) => {
      const cell = make(i === 0 ? "th" : "td", c.className, c.cell(entry, index));
      if (i === 0) cell.scope = "row";
      return cell;
    })))));
  const frame = make("div", "panel", table);
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", caption);
  const section = make("section", "", frame);
  section.id = id;
  return section;
}

const failed = (request) => !request.status || request.status >= 400 && !request.ignored;

function status(request) {
  if (!request.status) {
    const none = make("span", "bad", "no response");
    none.title = request.reason || "";
    return none;
  }
  const code = make("span", failed(request) ? "bad" : request.ignored ? "warn" : "good", String(request.status));
  if (request.ignored) code.title = "the configuration allows this status";
  return code;
}

function statuses(all) {
  return Object.entries(all).map(([status, n]) => make("span", "code", (status === "none" ? "no response" : status) + " × " + figure(n)));
}

function address(url) {
  const rest = url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  return rest || url;
}

function jobOf(request) {
  if (request.login) return "login";
  return request.job === undefined ? "" : report.jobs[request.job].job;
}

// incomplete are the findings that say that data may be missing from the tables.
// A failed run has no tables.
const incomplete = report.status === "failed" ? [] : report.incomplete || [];

// nameOf is the end of the path of a configuration.
const nameOf = (path) => (path || "Extraction report").split(/[\\/]/).slice(-2).join("/");

function headline() {
  const colours = { success: "good", cut: "warn" };
  const title = make("h1", "", nameOf(report.configuration));
  title.title = report.configuration || "";
  const line = make("div", "headline", title,
    make("span", "status " + (colours[report.status] || "bad"), report.status),
    incomplete.length ? make("span", "status warn", "incomplete") : "",
    report.remaining ? make("span", "status", "to be continued") : "");
  const t = report.totals;
  const pair = ([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value));
  const totals = make("dl", "totals", [
    [t.rows === 1 ? "row" : "rows", figure(t.rows)],
    [t.tables === 1 ? "table" : "tables", figure(t.tables)],
    ...(t.files ? [[t.files === 1 ? "file" : "files", figure(t.files)]] : []),
    [t.requests === 1 ? "request" : "requests", figure(t.requests)],
    ["received", bytes(t.bytes)],
    ["took", duration(report.seconds)],
  ].map(pair));
  const facts = make("dl", "facts", [
    ...(report.apis ? [["API", report.apis.map((api) => make("code", "", api))]] : []),
    ["Started", report.started.replace("T", " ").replace("Z", " UTC")],
    ...(t.failures ? [["Failures", make("span", "bad", figure(t.failures))]] : []),
    ...(t.ignored ? [["Allowed failures", figure(t.ignored)]] : []),
    ...(t.retries ? [["Retries", figure(t.retries)]] : []),
    ...(t.polls ? [["Polls", figure(t.polls)]] : []),
    ...(t.waited ? [["Waited", duration(t.waited)]] : []),
    ...(t.requests ? [["Status codes", statuses(t.statuses)]] : []),
    ...(report.extractor ? [["Extractor", report.extractor]] : []),
  ].map(pair));
  return [make("p", "kicker", "Extraction report"), line, totals, facts];
}

function fault(error) {
  const box = make("section", "fault", make("h2", "", "Why it failed"), make("p", "", error.message),
    error.pointer ? make("p", "quiet", "Look at ", pointer(error.pointer)) : "");
  box.id = "error";
  return box;
}

function problems(list) {
  return tableSection("problems", "Problems in the configuration", "", [
    column("Where", (p) => pointer(p.pointer) || "the document", "long"),
    column("Expected", (p) => p.expected, "long"),
    column("Found", (p) => p.found || ""),
    column("Hint", (p) => p.hint || ""),
    column("Code", (p) => p.code ? make("code", "", p.code) : ""),
  ], list);
}

function findings() {
  return tableSection("incomplete", "Data may be missing", "", [
    column("Job", (f) => [report.jobs[f.job].job, report.jobs[f.job].iteration ? under("iteration " + report.jobs[f.job].iteration) : ""], "long"),
    column("What was found", (f) => [f.text, under(f.kind)], "long"),
    column("Where to look", (f) => pointer(f.pointer), "long"),
  ], incomplete);
}

// remaining is the table of jobs that the next run continues.
function remaining() {
  return tableSection("remaining", "Left for the next run", "", [column("Job", (text) => text, "long")], report.remaining);
}

function jobs() {
  const held = (show) => (job) => job.ended || job.stored ? show(job.ended || job.stored) : "–";
  const iterations = report.jobs.some((job) => job.iteration);
  const windows = report.jobs.some((job) => job.windows);
  const polls = report.jobs.some((job) => job.polls), skips = report.jobs.some((job) => job.ended && job.ended.skipped);
  return tableSection("jobs", "Jobs", "", [
    column("Job", (j) => [j.job, incomplete.length && j.incomplete ? make("b", "warn", j.failed ? " failed, not in the tables" : " incomplete") : "", under(pointer(j.pointer))], "long"),
    ...(iterations ? [number("Iteration", (j) => j.iteration || "")] : []),
    number("Runs", (j) => j.ended ? [figure(j.ended.runs || (j.ended.unwanted ? 0 : 1)), j.ended.unwanted ? under(`${figure(j.ended.unwanted)} skipped by if`) : ""] : "–"),
    ...(windows ? [number("Windows", (j) => j.windows ? [figure(j.windows.begun), under(j.windows.first ? j.windows.first + " to " + j.windows.last : ""), j.windows.left ? under(figure(j.windows.left) + " left") : ""] : "")] : []),
    number("Pages", held((e) => figure(e.pages))),
    number("Rows", held((e) => [figure(e.rows), e.leftOut ? under(`${figure(e.leftOut)} dropped by rowFilter`) : "", e.unstored ? under("not stored") : ""])),
    number("Requests", (j) => figure(j.requests)),
    ...(skips ? [number("Skipped", (j) => j.ended ? figure(j.ended.skipped || 0) : "–")] : []),
    number("Retries", (j) => figure(j.retries)),
    ...(polls ? [number("Polls", (j) => figure(j.polls || 0))] : []),
    number("Waited", (j) => duration(j.waited)),
    number("Received", (j) => bytes(j.bytes)),
    column("Status codes", (j) => statuses(j.statuses)),
    column("Stopped because", (j) => j.ended
      ? [make("span", j.ended.repeated ? "warn" : "", j.ended.rule), j.ended.pointer ? under(pointer(j.ended.pointer)) : ""]
      : [make("span", "bad", report.status === "failed" ? "the run failed before the job ended" : "the job failed, or did not run"), j.stored ? under("its rows are in no table") : ""], "long"),
  ], report.jobs);
}

// timeline maps times to places from 0 to 1. A stretch in which no request ran is drawn
// shorter: one takes at most a quarter of the time in which some ran, all together as
// much as that.
function timeline(requests) {
  const spans = requests.map((r) => [r.start, r.start + r.seconds]).sort((a, b) => a[0] - b[0]);
  const pieces = [];
  let end = spans[0][0];
  for (const [from, until] of spans) {
    if (from > end || !pieces.length) {
      if (pieces.length) pieces.push({ from: end, until: from, idle: true });
      pieces.push({ from, until });
      end = until;
    }
    end = Math.max(end, until);
    pieces[pieces.length - 1].until = end;
  }
  const idle = pieces.filter((p) => p.idle).map((p) => p.until - p.from).sort((a, b) => a - b);
  const busy = Math.max(0.001, pieces.reduce((sum, p) => sum + (p.idle ? 0 : p.until - p.from), 0));
  let budget = busy;
  let longest = busy / 4;
  idle.forEach((pause, i) => {
    const share = budget / (idle.length - i);
    if (pause > share) longest = Math.min(longest, share);
    else budget -= pause;
  });
  let total = 0;
  for (const p of pieces) {
    p.cut = p.idle && p.until - p.from > longest * 1.001;
    p.at = total;
    p.length = p.cut ? longest : p.until - p.from;
    total += p.length;
  }
  total = total || 0.001;
  const of = (time) => {
    for (const p of pieces) {
      if (time > p.until) continue;
      const took = p.until - p.from;
      return (p.at + (took > 0 && time > p.from ? (time - p.from) * p.length / took : 0)) / total;
    }
    return 1;
  };
  const step = round(total / 6);
  const ticks = [];
  let last = -1;
  for (const [i, p] of pieces.entries()) {
    const share = p.length / total;
    if (p.cut && share >= 0.1) last = (p.at + p.length) / total - 0.13;
    if (p.cut) continue;
    const before = ticks.length;
    for (let n = Math.ceil(p.from / step - 1e-9); n * step <= p.until && ticks.length < 20; n++) {
      const x = (p.at + n * step - p.from) / total;
      if (x - last < 0.13 || x > 0.94) continue;
      ticks.push({ x, text: n === 0 ? "0" : duration(n * step) });
      last = x;
    }
    // Between many pauses there may be no round time.
    const x = p.at / total;
    if (i > 0 && pieces[i - 1].cut && ticks.length === before && x - last >= 0.13 && x <= 0.94) {
      ticks.push({ x, text: duration(p.from) });
      last = x;
    }
  }
  const pauses = pieces.filter((p) => p.cut && p.length / total >= 0.004)
    .map((p) => ({ x: p.at / total, width: p.length / total, seconds: p.until - p.from }));
  return { of, ticks, pauses };
}

// round is the next round number of seconds.
function round(seconds) {
  for (let unit = 0.001; ; unit *= 10) {
    for (const n of [1, 2, 5]) if (unit * n >= seconds - 1e-12) return unit * n;
  }
}

// place puts a bar on its track.
function place(className, from, until) {
  const bar = make("i", className);
  const start = Math.min(from, 0.994);
  bar.style.left = 100 * start + "%";
  bar.style.width = 100 * Math.max(until - start, 0.006) + "%";
  return bar;
}

function waterfall() {
  const w = report.waterfall;
  const line = timeline(w.requests);
  const lines = () => [...line.pauses.map((p) => place("idle", p.x, p.x + p.width)), ...line.ticks.map((t) => place("tick", t.x, t.x))];
  const axis = make("div", "axis", lines(),
    line.pauses.filter((p) => p.width >= 0.1).map((p) => {
      const text = make("span", "pause", duration(p.seconds));
      text.style.left = 100 * (p.x + p.width / 2) + "%";
      return text;
    }),
    line.ticks.map((t) => {
      const text = make("span", "", t.text);
      text.style.left = 100 * t.x + "%";
      return text;
    }));
  const track = (r) => {
    const end = r.start + r.seconds;
    return make("div", "track", lines(),
      r.held ? place("pause", line.of(r.start - r.held), line.of(r.start)) : "",
      r.retryIn ? place("pause", line.of(end), line.of(end + r.retryIn)) : "",
      place("took", line.of(r.start), line.of(end)));
  };
  const asked = (r) => {
    const text = make("span", "", make("b", "", r.method), " " + address(r.url), r.login ? make("span", "quiet", " login") : "",
      r.attempt > 1 ? make("span", "quiet", " attempt " + r.attempt) : "");
    text.title = r.method + " " + r.url;
    return text;
  };
  const note = w.omitted ? "the first " + figure(w.requests.length) + " of " + figure(w.requests.length + w.omitted) + " requests" : "";
  const section = tableSection("waterfall", "Requests", note, [
    column("Request", asked, "asked"),
    column("Status", status, "response"),
    number("Took", (r) => duration(r.seconds)),
    column(axis, track, "scale"),
  ], w.requests, "waterfall", (r) => failed(r) ? "failed" : r.ignored ? "ignored" : "");
  const key = (className, text) => make("span", "item", make("span", "key " + className), text);
  section.append(make("p", "legend", key("", "succeeded"),
    w.requests.some((r) => r.ignored) ? key("warn", "allowed by the configuration") : "",
    w.requests.some(failed) ? key("bad", "failed") : "",
    w.requests.some((r) => r.held || r.retryIn) ? key("pause", "waiting for a retry, a poll or the rate limit") : "",
    line.pauses.length ? key("idle", "a pause, shown shortened") : ""));
  return section;
}

function activity() {
  const a = report.activity;
  let most = 1;
  for (const p of a.periods) most = Math.max(most, p.requests);
  const chart = make("div", "activity", a.periods.map((p, i) => {
    const bar = make("i", "", p.failures ? make("b", "") : "");
    bar.style.height = 100 * p.requests / most + "%";
    if (p.failures) bar.firstChild.style.height = 100 * p.failures / p.requests + "%";
    bar.title = "from " + duration(i * a.step) + ": " + count(p.requests, "request") + ", " + count(p.failures, "failure") + ", " + bytes(p.bytes);
    return bar;
  }));
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", "Requests in each of " + count(a.periods.length, "period") + " of " + duration(a.step) + ", at most " + figure(most));
  const section = make("section", "", make("div", "panel", make("p", "caption",
    "Activity", make("span", "quiet", "requests per " + duration(a.step) + ", at most " + figure(most))), chart));
  section.id = "activity";
  return section;
}

function slowest() {
  return tableSection("slowest", "Slowest requests", "", [
    column("Request", (r) => [make("b", "", r.method), " ", make("code", "", r.url)], "long"),
    column("Job", jobOf),
    column("Status", status),
    number("Took", (r) => duration(r.seconds)),
    number("Start", (r) => duration(r.start)),
    number("Received", (r) => bytes(r.bytes)),
    number("Attempt", (r) => r.attempt),
  ], report.slowest);
}

const range = (s) => s.shortest === s.longest ? String(s.shortest) : s.shortest + "–" + s.longest;

function tables() {
  const section = make("section", "", make("h2", "", "Tables"));
  section.id = "tables";
  for (const t of report.tables) {
    const share = (n) => t.sampled ? (100 * n / t.sampled).toFixed(n && n < t.sampled ? 1 : 0) + " %" : "";
    const note = !t.sampled ? "no rows were sampled" : t.sampled < t.rows ? "statistics of the first " + count(t.sampled, "row") : "";
    const table = tableSection("", "Columns of " + t.table, note, [
      column("Column", (c) => [make("code", "", c.name), c.type ? under(c.type) : ""]),
      column("Shape (characters)", (c) => c.shapes.map((s) => s.shape + "(" + range(s) + ")" + (c.shapes.length > 1 ? " × " + figure(s.count) : "")).join(", "), "long"),
      number("Empty", (c) => share(c.empty)),
    ], t.columns);
    const details = make("details", "", make("summary", "", make("b", "", t.table), " ",
      make("span", "quiet", count(t.rows, "row") + ", " + count(t.columns.length, "column"))), table.firstChild);
    details.open = report.tables.length <= 3;
    section.append(details);
  }
  return section;
}

function memory() {
  const values = (text, n) => n ? count(n, "value") : text || "–";
  const iterations = report.memory.some((m) => m.iteration);
  const note = report.status === "success" ? "" : "the next run starts from the same values, because this run did not succeed";
  return tableSection("memory", "State", note, [
    column("Name", (m) => [make("code", "", m.name), under(pointer(m.pointer))]),
    ...(iterations ? [number("Iteration", (m) => m.iteration || "")] : []),
    column("Read", (m) => values(m.read, m.readValues), "long"),
    column("For the next run", (m) => values(m.left, m.leftValues), "long"),
  ], report.memory);
}

// A finding is a warning, too; it is not shown twice.
const warned = report.warnings.filter((w) => !incomplete.some((f) => f.kind === w.source));

function warnings() {
  const note = report.warningsOmitted ? count(report.warningsOmitted, "more") + " not shown" : "";
  return tableSection("warnings", "Warnings", note, [
    column("Where", (w) => pointer(w.pointer) || make("span", "quiet", w.source), "long"),
    column("What", (w) => [w.message, w.code ? under("extractor explain ", make("code", "", w.code)) : ""], "long"),
    number("Times", (w) => figure(w.count)),
  ], warned);
}

const nothing = (what) => make("section", "", make("p", "quiet", what));

document.title = nameOf(report.configuration) + ": " + report.status + (incomplete.length ? ", incomplete" : "");
main.replaceChildren(...headline(),
  report.error ? fault(report.error) : "",
  report.error && report.error.problems ? problems(report.error.problems) : "",
  incomplete.length ? findings() : "",
  report.remaining ? remaining() : "",
  report.tables.length ? tables() : nothing("No tables were written." + (report.status === "failed" ? " A failed run writes no tables, even if its jobs stored rows." : "")),
  report.jobs.length ? jobs() : nothing("No jobs ran."),
  report.memory ? memory() : "",
  ...(report.waterfall.requests.length ? [waterfall()] : [nothing("No requests were sent.")]),
  ...(report.waterfall.omitted ? [activity()] : []),
  ...(report.waterfall.requests.length > 5 ? [slowest()] : []),
  warned.length ? warnings() : nothing(incomplete.length ? "No other warnings." : "No warnings."));
