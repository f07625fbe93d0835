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
    keepingScroll(byID("conversations"), state.conversations.map((row) => this.conversation(row, chosen)), "no conversations");
    const skip = question.skip ?? 0;
    byID("list-pager").replaceChildren(
      ...pager("Previous", skip > 0, () => this.choose({ skip: Math.max(0, skip - 60) })),
      ...pager("Next", state.hasMore, () => this.choose({ skip: skip + 60 })));
  }

  muting(row) {
    if (row.notificationLevel === "all") return null;
    const until = row.mutedUntil ? ` until ${moment(row.mutedUntil)}` : "";
    return element("span", "flag", (row.muted ? "muted" : "mentions only") + until);
  }

  conversation(row, chosen) {
    const key = keyOf(row);
    const node = element("div", "conversation",
      element("div", "line", word(row.name || row.conversation, "name"),
        row.pinned ? element("span", "flag", "pinned") : null, this.muting(row),
        row.archived ? element("span", "flag", "archived") : null,
        row.draft ? element("span", "flag", "draft") : null,
        row.mentions ? element("span", "flag mention", `@${count(row.mentions)}`) : null,
        row.unread || row.markedUnread
          ? element("span", "unread", count(row.unread) + (row.markedUnread ? " •" : "")) : null),
      element("div", "line quiet", word(row.preview ?? "", "preview"), element("time", "", moment(row.lastTime).slice(0, 10))));
    node.dataset.key = key;
    node.title = shown(key);
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", key === chosen);
    return marked(node, row.changed);
  }

  showTimeline(timeline, question) {
    byID("chat-title").replaceChildren(timeline ? word(timeline.conversation) : "Timeline");
    byID("unread").replaceChildren(...(timeline ? this.unread(timeline.unread) : []));
    byID("unread").classList.toggle("changed", Boolean(timeline?.unread.changed));
    const rows = [];
    let isBelowMarker = true;
    for (const message of timeline?.messages ?? []) {
      if (isBelowMarker && timeline.unread.readUpTo && isAbove(message, timeline.unread.readUpTo)) {
        isBelowMarker = false;
        if (rows.length) rows.push(element("li", "marker", "read up to here"));
      }
      rows.push(this.message(message));
    }
    const node = byID("timeline");
    const isOther = node.dataset.key !== `${timeline?.conversation} ${question.before ?? ""}`;
    node.dataset.key = `${timeline?.conversation} ${question.before ?? ""}`;
    keepingScroll(node, rows, timeline ? "no messages" : "choose a conversation (n)");
    const changed = node.querySelector(".changed");
    if (changed) changed.scrollIntoView({ block: "nearest" });
    else if (isOther) node.scrollTop = node.scrollHeight;
    byID("chat-pager").replaceChildren(
      ...pager("Older", Boolean(timeline?.hasOlder), () => this.choose({ before: timeline.messages[0]?.id })),
      ...pager("Newest", Boolean(timeline?.hasNewer), () => this.choose({ before: undefined })));
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
      ? word(row.text, "text") : element("em", "", shown(`[${row.redacted ? "redacted" : row.type}]`));
    const name = word(row.senderName, "sender");
    name.title = shown(row.sender);
    const button = element("button", "", `#${count(row.id)}`);
    button.title = "Show the events that name this message";
    const node = element("li", row.outgoing ? "message outgoing" : "message",
      element("div", "line quiet", name, element("time", "", moment(row.time).slice(0, 19)), row.outgoing ? element("span", "flag", shown(row.status)) : null,
        row.modified ? element("span", "flag", "modified") : null, button),
      content);
    node.dataset.message = row.id;
    return marked(node, row.changed);
  }
}

/** Tells in words, too, that the event changed what the node shows. */
function marked(node, isChanged) {
  if (!isChanged) return node;
  node.classList.add("changed");
  node.firstElementChild.append(element("span", "flag is-changed", "changed"));
  return node;
}

function isAbove(message, order) {
  if (message.time !== order.time) return message.time > order.time;
  return order.id !== undefined && order.id !== null && (message.serverID ?? "\uffff") > order.id;
}

function place(order) { return `${moment(order.time) || order.time}${order.id ? " " + order.id : ""}`; }

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
