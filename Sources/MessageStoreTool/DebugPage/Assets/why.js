"use strict";
// Why a value is what it is: the rule with its numbers, and the events that made it.

class Why {
  /** `context` tells the position and the conversation that are shown; `go` goes to a position. */
  constructor(source, context, go) {
    this.source = source;
    this.context = context;
    this.go = go;
    this.latest = new Latest((question) => this.explain(question));
    byID("why-kind").addEventListener("change", () => this.prepare());
    byID("why-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
  }

  get kind() { return byID("why-kind").value; }

  /** Shows the fields that a kind needs, with the conversation that is looked at. */
  prepare() {
    const isOfConversation = ["unread", "conversation", "member"].includes(this.kind);
    byID("why-name").hidden = this.kind === "badge";
    byID("why-user").hidden = this.kind !== "member";
    byID("why-name").value = isOfConversation ? this.context().conversation ?? "" : "";
    byID("why-name").placeholder = isOfConversation ? "kind:id" : this.kind === "message" ? "id, or the server's" : "person's id";
  }

  /** Explains a kind of value, such as the badge. */
  show(kind) {
    byID("why-kind").value = kind;
    this.prepare();
    this.ask();
  }

  ask() {
    const name = this.kind === "badge" ? undefined : byID("why-name").value;
    const user = this.kind === "member" ? byID("why-user").value : undefined;
    this.latest.ask({ kind: this.kind, name, user, at: this.context().at });
  }

  async explain(question) {
    byID("why").replaceChildren(element("div", "none", "looking through the log…"));
    try {
      this.fill(question, await this.source.why(question));
    } catch (error) {
      byID("why").replaceChildren(element("div", "none", shown(error.message)));
    }
  }

  fill(question, answer) {
    const facts = element("dl", "fields");
    for (const { name, value } of answer.facts) {
      if (value !== null) facts.append(element("dt", "", shown(name)), element("dd", "", word(inWords(value))));
    }
    const known = answer.isComplete ? "All events that changed it" : `The last ${answer.steps.length} events that changed it`;
    byID("why").replaceChildren(
      element("h3", "", `At ${count(question.at)}`), facts,
      element("h3", "", "Rule"), ...answer.rule.map((line) => element("p", "", word(line))),
      element("h3", "", answer.steps.length ? known : "No event changed it"),
      ...answer.steps.map((step) => this.step(step)).reverse(),
      ...(answer.withoutEffect.length ? [element("h3", "", "Events that name it and changed nothing")] : []),
      ...answer.withoutEffect.map((event) => element("div", "step", this.link(event), element("div", "line", shown(event.reason)))),
      ...(answer.lookalikes.length ? [element("h3", "", "The same sender, time and content under other ids")] : []),
      ...answer.lookalikes.map((event) => this.link(event)));
  }

  step({ event, changes, cause }) {
    const node = element("div", "step", this.link(event));
    for (const { name, before, after } of changes) {
      node.append(element("div", "line", element("i", "", shown(name)), word(inWords(before), "before"),
        element("span", "arrow", "→"), word(inWords(after), "after")));
    }
    if (cause) node.append(element("div", "line", shown(`by ${cause}`)));
    return node;
  }

  link(event) {
    const button = element("button", "link", `${count(event.position)} `, shown(event.type));
    button.addEventListener("click", () => this.go(event.position));
    return element("div", "line", button);
  }
}

function inWords(value) {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" && value < 1e11 ? count(value) : typeof value === "number" ? moment(value) : value;
}

/** Tabs of which one is open; `open` opens the one of a number. */
function listenToTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const open = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
      byID(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  };
  tabs.forEach((tab) => tab.addEventListener("click", () => open(tab)));
  return (number) => {
    if (getComputedStyle(tabs[number]).display !== "none") open(tabs[number]);
  };
}
