"use strict";
// What a user saw at the position: totals, the conversation list, one timeline.

class StatePanels {
  /** `choose` is called with a conversation's name, or with another page of a list. */
  constructor(choose) {
    this.choose = choose;
    byID("conversations").addEventListener("click", (event) => {
      const row = event.target.closest("[data-key]");
      if (row) this.choose({ conversation: row.dataset.key, before: undefined });
    });
    byID("timeline").addEventListener("click", (event) => {
      const row = event.target.closest("[data-message]");
      if (row && event.target.closest("button")) this.choose({ message: row.dataset.message });
    });
  }

  show(state, question) {
    this.state = state;
    this.showTotals(state.totals);
    this.showList(state, question);
    this.showTimeline(state.timeline, question);
  }

  showTotals(totals) {
    const pairs = [["badge", totals.badge], ["unread", totals.total], ["mentions", totals.mentions],
      ["with muted", totals.totalWithMuted]];
    byID("totals").replaceChildren(...pairs.map(([name, value]) => element("div", "",
      element("dt", "", name), element("dd", name === "badge" && value > 0 ? "badge" : "", count(value)))),
      element("div", "", this.why("badge")));
    byID("totals").classList.toggle("changed", Boolean(totals.changed));
  }

  showList(state, question) {
    const chosen = state.timeline?.conversation;
    for (const row of state.conversations) learn(keyOf(row), row.name);
    for (const { sender, senderName } of state.timeline?.messages ?? []) learn(sender, senderName);
    keepingScroll(byID("conversations"), state.conversations.map((row) => this.conversation(row, chosen)), "no conversations");
    const skip = question.skip ?? 0;
    byID("list-pager").replaceChildren(
      ...pager("Previous", skip > 0, () => this.choose({ skip: Math.max(0, skip - 60) })),
      ...pager("Next", state.hasMore, () => this.choose({ skip: skip + 60 })));
  }

  flag(row, name) {
    const until = row.mutedUntil && ["muted", "mentions only"].includes(name) ? ` until ${moment(row.mutedUntil)}` : "";
    return element("span", "flag", name + until);
  }

  conversation(row, chosen) {
    const key = keyOf(row);
    const node = element("div", "conversation",
      element("div", "line", word(row.name || row.conversation, "name"),
        ...row.marks.map((name) => this.flag(row, name)),
        row.draft ? element("span", "flag", "draft") : null,
        row.mentions ? element("span", "flag mention", `@${count(row.mentions)}`) : null,
        row.unread || row.markedUnread
          ? element("span", "unread", count(row.unread) + (row.markedUnread ? " •" : "")) : null),
      element("div", "line quiet", word(row.preview ?? "", "preview"), element("time", "", moment(row.lastTime).slice(0, 16))),
      // Its place in the list, if that is not the time of its last message.
      row.activity === row.lastTime ? null : element("div", "line quiet", `activity ${moment(row.activity)}`));
    node.dataset.key = key;
    node.title = shown(key);
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", key === chosen);
    return marked(node, row.changed, node.lastElementChild);
  }

  showTimeline(timeline, question) {
    byID("chat-title").replaceChildren(timeline ? named(timeline.conversation) : "Timeline");
    byID("unread").replaceChildren(...(timeline ? this.unread(timeline.unread) : []));
    byID("unread").classList.toggle("changed", Boolean(timeline?.unread.changed));
    const rows = timeline ? timelineRows(timeline, (message) => this.message(message)) : [];
    const node = byID("timeline");
    const key = `${timeline?.conversation} ${question.before ?? ""} ${timeline?.hasNewer}`;
    const isOther = node.dataset.key !== key;
    node.dataset.key = key;
    keepingScroll(node, rows, timeline ? "no messages" : "choose a conversation (n)");
    const changed = node.querySelector(".changed");
    if (changed) node.scrollTop = changed.offsetTop - Math.max(8, (node.clientHeight - changed.offsetHeight) / 2);
    else if (isOther) node.scrollTop = node.scrollHeight;
    byID("chat-pager").replaceChildren(
      ...pager("Older", Boolean(timeline?.hasOlder), () => this.choose({ before: timeline.messages[0]?.id })),
      ...pager("Newest", Boolean(timeline?.hasNewer), () => this.choose({ before: undefined, newest: 1 })));
  }

  unread(unread) {
    const parts = [element("b", "", count(unread.messages)), " unread"];
    if (unread.mentions) parts.push(`, ${count(unread.mentions)} mention this account`);
    if (unread.markedUnread) parts.push(", marked unread");
    if (unread.lowerBound) parts.push(", perhaps more: messages may be missing");
    parts.push(unread.readUpTo ? " · read up to " : " · nothing is read");
    if (unread.readUpTo) parts.push(word(place(unread.readUpTo)));
    if (unread.report) {
      parts.push(` · the server reported ${count(unread.report.messages)} up to `, word(place(unread.report.upTo)));
    }
    parts.push(" ", this.why("unread"));
    return parts;
  }

  /** Asks why a number is what it is; a page in a file cannot tell. */
  why(kind) {
    const button = element("button", "link why", "why?");
    button.addEventListener("click", () => this.choose({ why: kind }));
    return button;
  }

  message(row) {
    const content = row.recalled ? element("em", "", "recalled") : row.text !== undefined && row.text !== null
      ? lines(row.text, "text") : element("em", "", shown(`[${row.redacted ? "redacted" : row.type}]`));
    const name = word(row.senderName, "sender");
    name.title = shown(row.sender);
    const button = element("button", "", `#${count(row.id)}`);
    button.title = "Show the events that name this message";
    const node = element("li", row.outgoing ? "message outgoing" : "message",
      element("div", "line quiet", name, element("time", "", instant(row.time)[1]), row.outgoing ? element("span", "flag", shown(row.status)) : null,
        row.modified ? element("span", "flag", "modified") : null, button),
      content);
    node.dataset.message = row.id;
    return marked(node, row.changed);
  }
}

/** Messages with what lies between them: days, missing spans, and up to where this account and others have read. */
function timelineRows({ messages, marks, moved, unread }, messageNode) {
  const rows = [];
  const add = (className, words, isChanged) => {
    rows.push(element("li", `${className}${isChanged ? " changed" : ""}`, element("span", "", ...words)));
  };
  const addReaders = (previous, next) => {
    const readers = marks.readers.filter(({ upTo }) => !(previous && upTo < previous.time) && !(next && upTo >= next.time));
    const groups = readers.length > 3 ? [readers] : readers.map((reader) => [reader]);
    for (const group of groups) addReader(group, next ? null : previous);
  };
  const addReader = (group, last) => {
    const names = group.slice(0, 3).flatMap(({ user, name }) => [user ? word(name) : "somebody", ", "]).slice(0, -1);
    const more = group.length > 3 ? ` and ${count(group.length - 3)} more` : "";
    const { upTo } = group[0];
    const days = last ? Math.floor((upTo - last.time) / 86_400_000) : 0;
    const ahead = days > 0 ? `, ${count(days)} ${days === 1 ? "day" : "days"} after the last message` : "";
    add("marker reader", [...names, `${more} read up to `, element("span", "moment", instant(upTo).join(" ")), ahead],
      group.some(({ user }) => moved.includes(user ?? null)));
  };
  const addGap = (previous, next) => {
    const [from, to] = [previous, next].map((message) => (message ? instant(message.time)[1] : ""));
    const span = from && to ? `, ${from} to ${to}` : from ? ` after ${from}` : ` before ${to}`;
    add("marker gap", [`messages may be missing${span}`]);
  };
  let isBelowMarker = Boolean(unread.readUpTo);
  let day = null;
  messages.forEach((message, index) => {
    const previous = messages[index - 1];
    addReaders(index ? previous : null, message);
    if (isBelowMarker && isAbove(message, unread.readUpTo)) {
      isBelowMarker = false;
      if (index) add("marker", ["read up to here, ", element("span", "moment", instant(unread.readUpTo.time).join(" "))]);
    }
    if (marks.gaps.includes(message.id)) addGap(previous, message);
    const [date] = instant(message.time);
    if (date !== day) add("day", [date ? `${date} UTC` : "without a time"]);
    day = date;
    rows.push(messageNode(message));
  });
  if (messages.length) addReaders(messages[messages.length - 1], null);
  if (marks.endsInGap) addGap(messages[messages.length - 1], null);
  return rows;
}

/** Tells in words, too, that the event changed what the node shows. */
function marked(node, isChanged, line = node.firstElementChild) {
  if (!isChanged) return node;
  node.classList.add("changed");
  line.append(element("span", "flag is-changed", "changed"));
  return node;
}

function isAbove(message, order) {
  if (message.time !== order.time) return message.time > order.time;
  return order.id !== undefined && order.id !== null && (message.serverID ?? "\uffff") > order.id;
}

function place(order) { return `${instant(order.time).join(" ").trim() || order.time}${order.id ? " " + order.id : ""}`; }

function keepingScroll(node, rows, none) {
  const top = node.scrollTop;
  node.replaceChildren(...(rows.length ? rows : [element(node.tagName === "OL" ? "li" : "div", "none", none)]));
  node.scrollTop = top;
}

function pager(words, isThere, act) {
  if (!isThere) return [];
  const button = element("button", "", words);
  button.addEventListener("click", act);
  return [button];
}
