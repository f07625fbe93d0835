"use strict";
// Rows that differ, in words: of one event, and between two marked positions.

/** Puts the rows of a comparison into a node, grouped by projection. */
function showChanges(node, counter, answer, bookkeeping, choose) {
  counter.textContent = answer ? `${count(answer.count)} ${answer.count === 1 ? "row" : "rows"}` : "";
  const children = [];
  const internals = [];
  let projection = null;
  for (const change of answer?.changes ?? []) {
    const parts = change.parts ?? [{ name: "row", before: change.before, after: change.after }];
    const isHidden = bookkeeping.tables.includes(change.table);
    const told = isHidden ? [] : parts.filter((part) => !isInternal(part, bookkeeping));
    const row = { ...change, keyParts: change.keyParts?.filter(({ name }) => !bookkeeping.parts.includes(name)) };
    const others = parts.filter((part) => !told.includes(part));
    const isTold = told.length > 0 || (!isHidden && Boolean(change.isGone || change.isNew));
    if (!isTold || others.length) internals.push(changeNode(row, choose, others));
    if (!isTold) continue;
    if (change.projection !== projection) {
      projection = change.projection;
      children.push(element("h3", "", shown(projection)));
    }
    children.push(changeNode(row, choose, told));
  }
  const more = answer ? answer.count - answer.changes.length : 0;
  if (more > 0) children.push(element("div", "none", `${count(more)} more; \`messagestore diff --limit\` shows them`));
  const notes = answer?.notes ?? [];
  if (answer && !answer.count && !notes.length) children.push(element("div", "none", "nothing changed"));
  children.unshift(...notes.map((note) => element("div", "none", shown(note))));
  if (internals.length) children.push(folded(`internals of ${count(internals.length)} ${internals.length === 1 ? "row" : "rows"}`, internals));
  node.replaceChildren(...children);
}

/** Whether a part shows nothing of what people see: the store's bookkeeping, and what a new or lost row does not have. */
function isInternal({ name, before, after }, bookkeeping) {
  if (bookkeeping.parts.includes(name)) return true;
  return [before, after].every((value) => ["none", "0", "0 ms", "0 bytes", "false", "unknown", "", null, undefined].includes(value));
}

let areInternalsOpen = false;

/** Rows that are shown when they are asked for, and from then on. */
function folded(title, rows) {
  const node = element("details", "internals", element("summary", "", title), ...rows);
  node.open = areInternalsOpen;
  node.addEventListener("toggle", () => { areInternalsOpen = node.open; });
  return node;
}

function changeNode(change, choose, parts = change.parts) {
  const { isNew, isGone } = change;
  const title = element("div", "line", element("b", "", shown(change.table)));
  for (const part of change.keyParts ?? [{ name: "key", value: change.key }]) {
    title.append(" ", keyNode(part, choose));
  }
  if (isNew) title.append(element("span", "flag new", "new"));
  if (isGone) title.append(element("span", "flag gone", "gone"));
  const list = element("dl", "parts");
  for (const part of parts) {
    const [before, after] = [part.before, part.after].map((value) => inTime(value ?? "none"));
    list.append(element("dt", "", shown(part.name)), element("dd", "",
      isNew ? word(after, "after") : isGone ? word(before, "before") : turned(before, after)));
  }
  return element("div", "change", title, list);
}

/** A number of milliseconds as a time, and a person by the name. */
function inTime(text) {
  return NAMES.get(text) ?? text.replace(/^(-?\d{11,15}) ms/, (all, number) => instant(Number(number)).join(" ").trim() || all);
}

function keyNode(part, choose) {
  const value = NAMES.has(part.value) ? named(part.value) : word(inTime(part.value));
  if (part.name !== "conversation") return element("span", "", element("i", "", shown(part.name)), " ", value);
  const button = element("button", "link", value);
  button.title = "Show this conversation";
  button.addEventListener("click", () => choose({ conversation: part.value, before: undefined }));
  return element("span", "", element("i", "", "conversation"), " ", button);
}

/** Every field of an event. */
function showEvent(node, event, hit) {
  if (!event) {
    node.replaceChildren(element("dt", "none", "before the first event"));
    return;
  }
  const rows = event.damage ? [["damage", event.damage]] : [...event.columns].sort(([one], [other]) => weight(one) - weight(other));
  node.replaceChildren(...rows.flatMap((column) => {
    const value = element("dd", "", fieldNode(column, lines, hit));
    if (column[2] && value.textContent !== shown(column[1])) value.append(" ", word(column[1], "quiet"));
    return [element("dt", "", shown(column[0])), value];
  }));
}

/** What an event is and whom it is about come first, and what every event has last. */
function weight(name) {
  if (["type", "conversation", "sender", "text"].includes(name)) return 0;
  return ["position", "recordedTime", "origin", "commit", "id", "device"].includes(name) ? 2 : 1;
}

/** Two positions and what changed between them. */
class Marks {
  constructor(source, bookkeeping, choose) {
    this.source = source;
    this.bookkeeping = bookkeeping;
    this.choose = choose;
    this.positions = [null, null];
    this.latest = new Latest((pair) => this.compare(pair));
  }

  /** Marks a position as the first or the second. */
  set(index, position) {
    this.positions[index] = position;
    byID(index ? "mark-b" : "mark-a").querySelector("span").textContent = count(position);
    if (this.positions.some((mark) => mark === null)) return;
    this.latest.ask([...this.positions].sort((first, second) => first - second)).catch(report);
  }

  async compare([from, to]) {
    byID("mark-count").textContent = "comparing…";
    try {
      showChanges(byID("marked"), byID("mark-count"), await this.source.changes(from, to), this.bookkeeping, this.choose);
    } catch (error) {
      byID("mark-count").textContent = "";
      throw error;
    }
  }
}
