"use strict";
// Why a value is what it is: the rule with its numbers, and the events that made it.

class Why {
  /** `context` tells the position, the conversation, the event and what it changed; `go` goes to a position. */
  constructor(source, context, go) {
    this.source = source;
    this.context = context;
    this.go = go;
    this.latest = new Latest((question) => this.explain(question));
    byID("why-kind").addEventListener("change", () => {
      this.prepare();
      if (this.kind === "event" || this.kind === "badge") this.ask();
    });
    byID("why-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
    byID("suspects").addEventListener("click", () => this.ask(true));
  }

  get kind() { return byID("why-kind").value; }

  /** Shows the fields that a kind needs, with the conversation that is looked at. */
  prepare() {
    const isOfConversation = ["unread", "conversation", "member"].includes(this.kind);
    byID("why-name").hidden = ["badge", "event"].includes(this.kind);
    byID("why-user").hidden = this.kind !== "member";
    byID("why-name").value = isOfConversation ? this.context().conversation ?? "" : "";
    byID("why-name").placeholder = isOfConversation ? "kind:id" : this.kind === "message" ? "id, or the server's" : "person's id";
  }

  /** Explains a kind of value, such as the badge, or what the event names. */
  show(kind) {
    byID("why-kind").value = kind;
    this.prepare();
    this.ask();
  }

  /** Explains the same, or what the next event names, at another position, once the position rests. */
  follow() {
    clearTimeout(this.timer);
    // Suspects stay while their events are looked at.
    if (this.showsSuspects) return;
    if (!byID("panel-why").hidden) this.timer = setTimeout(() => this.ask(), 250);
  }

  ask(suspects = false) {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = new AbortController();
    const { at, event, changes } = this.context();
    let question = { kind: this.kind, name: byID("why-name").value, user: byID("why-user").value };
    if (this.kind === "event") question = subjectOf(event, changes);
    if (question.kind === "badge") delete question.name;
    if (question.kind !== "member") delete question.user;
    this.latest.ask({ ...question, at, suspects, signal: this.controller.signal });
  }

  async explain({ suspects, signal, ...question }) {
    byID("why").classList.add("stale");
    if (!byID("why").childElementCount) byID("why").append(element("div", "none", "looking through the log…"));
    try {
      this.showsSuspects = suspects;
      if (suspects) this.fillSuspects(question, await this.source.suspects(question, signal));
      else this.fill(question, await this.source.why(question));
    } catch (error) {
      if (error.name === "AbortError") return;
      byID("why").replaceChildren(element("div", "none", shown(error.message)));
    }
    byID("why").classList.remove("stale");
  }

  fill(question, answer) {
    const facts = element("dl", "fields");
    for (const { name, value, event, type } of answer.facts) {
      if (value === null) continue;
      const cause = event ? [" by ", this.button({ position: event, type })] : [];
      facts.append(element("dt", "", shown(name)), element("dd", "", named(inWords(value)), ...cause));
    }
    const known = answer.isComplete ? "All events that changed it" : `The last ${answer.steps.length} events that changed it`;
    byID("why").replaceChildren(
      this.title(question), ...answer.notes.map((line) => element("p", "", word(line))), facts,
      ...(answer.rule.length ? [element("h3", "", "Rule")] : []), ...answer.rule.map((line) => element("p", "", word(line))),
      element("h3", "", answer.steps.length ? known : "No event changed it"),
      ...answer.steps.map((step) => this.step(step)).reverse(),
      ...(answer.withoutEffect.length ? [element("h3", "", "Events that name it and changed nothing")] : []),
      ...answer.withoutEffect.map((event) => element("div", "step", this.link(event), element("div", "line", shown(event.reason)))),
      ...(answer.lookalikes.length ? [element("h3", "", "The same sender, time and content under other ids")] : []),
      ...answer.lookalikes.map((event) => this.link(event)));
  }

  /** The events without which the value would be another. */
  fillSuspects(question, answer) {
    const found = answer.suspects.map(({ event, without, oddities }) => element("div", "step", this.link(event),
      element("div", "line", "without it: ", inWords(without)), ...oddities.map((oddity) => element("div", "line", shown(oddity)))));
    byID("why").replaceChildren(this.title(question),
      element("p", "", `${shown(answer.value)} is ${inWords(answer.is)}; left out alone: ${count(answer.tried)} of ${count(answer.candidates)} events`),
      ...(found.length ? found : [element("div", "none", "none of these decides it")]));
  }

  title({ at, kind, name, user }) {
    return element("h3", "", `At ${count(at)}: ${kind} `, ...[name, user].filter(Boolean).flatMap((id) => [named(id), " "]));
  }

  step({ event, changes, cause }) {
    const node = element("div", "step", this.link(event));
    for (const { name, before, after } of changes) {
      node.append(element("div", "line", element("i", "", shown(name)), turned(inWords(before), inWords(after))));
    }
    if (cause) node.append(element("div", "line", shown(`by ${cause}`)));
    return node;
  }

  link(event) { return element("div", "line", this.button(event)); }

  button(event) {
    const button = element("button", "link", `${count(event.position)} `, shown(event.type));
    button.addEventListener("click", () => this.go(event.position));
    return button;
  }
}

/** What an event names: the value that it most likely explains. */
function subjectOf(event, changes) {
  const values = new Map(event?.columns ?? []);
  const ofKind = (kind) => event?.columns?.find((column) => column[2] === kind)?.[1];
  const [type, conversation, message] = [values.get("type") ?? "", values.get("conversation"), ofKind("message")];
  const changed = (changes?.changes ?? []).flatMap(({ keyParts }) => keyParts ?? []).find(({ name }) => name === "user");
  const user = changed?.value ?? ofKind("user")?.split(" ")[0];
  if (message) return { kind: "message", name: message.startsWith("local ") ? message.replace(" ", ":") : `server:${message}` };
  if (/^Message(Received|SendQueued)$/.test(type)) return { kind: "message", name: `local:${event.position}` };
  if (/Profile|Contact/.test(type) && user) return { kind: "profile", name: user };
  if (/^Member/.test(type) && conversation && user) return { kind: "member", name: conversation, user };
  if (/^Conversation.*(Read|Unread)/.test(type) && conversation) return { kind: "unread", name: conversation };
  return conversation ? { kind: "conversation", name: conversation } : { kind: "badge" };
}

function inWords(value) {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" && value < 1e11 ? count(value) : typeof value === "number" ? moment(value) : value;
}

/** Tabs of which one is open; what is answered opens the one of a number. `onOpen` is called when somebody has chosen one. */
function listenToTabs(onOpen) {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const open = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
      byID(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  };
  tabs.forEach((tab) => tab.addEventListener("click", () => {
    open(tab);
    onOpen(tabs.indexOf(tab));
  }));
  return (number) => {
    if (getComputedStyle(tabs[number]).display !== "none") open(tabs[number]);
  };
}
