"use strict";
// Rows that differ, in words: of one event, and between two marked positions.

/** Puts the rows of a comparison into a node, grouped by projection. */
function showChanges(node, counter, answer, choose) {
  counter.textContent = answer ? `${count(answer.count)} ${answer.count === 1 ? "row" : "rows"}` : "";
  const children = [];
  let projection = null;
  for (const change of answer?.changes ?? []) {
    if (change.projection !== projection) {
      projection = change.projection;
      children.push(element("h3", "", shown(projection)));
    }
    children.push(changeNode(change, choose));
  }
  const more = answer ? answer.count - answer.changes.length : 0;
  if (more > 0) children.push(element("div", "none", `${count(more)} more; \`messagestore diff --limit\` shows them`));
  const notes = answer?.notes ?? [];
  if (answer && !answer.count && !notes.length) children.push(element("div", "none", "nothing changed"));
  children.unshift(...notes.map((note) => element("div", "none", shown(note))));
  node.replaceChildren(...children);
}

function changeNode(change, choose) {
  const parts = change.parts ?? [{ name: "row", before: change.before, after: change.after }];
  const { isNew, isGone } = change;
  const title = element("div", "line", element("b", "", shown(change.table)));
  for (const part of change.keyParts ?? [{ name: "key", value: change.key }]) title.append(" ", keyNode(part, choose));
  if (isNew) title.append(element("span", "flag new", "new"));
  if (isGone) title.append(element("span", "flag gone", "gone"));
  const list = element("dl", "parts");
  for (const part of parts) {
    list.append(element("dt", "", shown(part.name)));
    const value = element("dd", "");
    if (!isNew) value.append(word(part.before ?? "none", "before"));
    if (!isNew && !isGone) value.append(element("span", "arrow", " → "));
    if (!isGone) value.append(word(part.after ?? "none", "after"));
    list.append(value);
  }
  return element("div", "change", title, list);
}

function keyNode(part, choose) {
  const value = word(part.value);
  if (part.name !== "conversation") return element("span", "", element("i", "", shown(part.name)), " ", value);
  const button = element("button", "link", value);
  button.title = "Show this conversation";
  button.addEventListener("click", () => choose({ conversation: part.value, before: undefined }));
  return element("span", "", element("i", "", "conversation"), " ", button);
}

/** Every field of an event. */
function showEvent(node, event) {
  if (!event) {
    node.replaceChildren(element("dt", "none", "before the first event"));
    return;
  }
  const rows = event.damage ? [["damage", event.damage]] : event.columns;
  node.replaceChildren(...rows.flatMap(([name, text]) => [element("dt", "", shown(name)), element("dd", "", word(text))]));
}

/** Two positions and what changed between them. */
class Marks {
  constructor(source, choose) {
    this.source = source;
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
      showChanges(byID("marked"), byID("mark-count"), await this.source.changes(from, to), this.choose);
    } catch (error) {
      byID("mark-count").textContent = "";
      throw error;
    }
  }
}
