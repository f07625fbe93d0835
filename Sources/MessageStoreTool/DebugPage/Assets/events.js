"use strict";
// The list of events: of a million rows only those in sight are in the document.

const ROW_HEIGHT = 40;
const ROWS_BEYOND = 6;
const GREATEST_HEIGHT = 8_000_000;
const KEPT_EVENTS = 3000;

class EventList {
  constructor(selection, source, onSelect) {
    this.selection = selection;
    this.source = source;
    this.onSelect = onSelect;
    this.node = byID("events");
    this.spacer = this.node.querySelector(".spacer");
    this.rows = this.node.querySelector(".rows");
    this.top = 0;
    this.current = 0;
    this.kept = new Map();
    this.latest = new Latest((positions) => this.load(positions));
    this.node.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.node.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-position]");
      if (row) this.onSelect(Number(row.dataset.position));
    });
    new ResizeObserver(() => this.update()).observe(this.node);
  }

  get visible() { return Math.max(1, Math.floor(this.node.clientHeight / ROW_HEIGHT)); }

  get height() { return Math.min(this.selection.count * ROW_HEIGHT, GREATEST_HEIGHT); }

  /** Rows that a pixel of the scroll bar stands for, where the list is higher than a browser allows. */
  get isScaled() { return this.selection.count * ROW_HEIGHT > GREATEST_HEIGHT; }

  get greatestTop() { return Math.max(0, this.selection.count - this.node.clientHeight / ROW_HEIGHT); }

  /** Takes over another selection of events, or another size. */
  update() {
    this.spacer.style.height = `${this.height}px`;
    this.moveTo(this.top);
  }

  scrolled() {
    if (this.node.scrollTop === this.ownScroll) return;
    this.ownScroll = null;
    const way = this.height - this.node.clientHeight;
    this.top = this.isScaled ? (this.node.scrollTop / Math.max(1, way)) * this.greatestTop : this.node.scrollTop / ROW_HEIGHT;
    this.draw();
  }

  wheeled(event) {
    if (!this.isScaled || event.ctrlKey) return;
    event.preventDefault();
    const rows = event.deltaMode === 1 ? event.deltaY : event.deltaY / ROW_HEIGHT;
    this.moveTo(this.top + rows);
  }

  /** Puts a row, counted from the first, at the upper edge. */
  moveTo(top) {
    this.top = Math.min(Math.max(0, top), this.greatestTop);
    const way = this.height - this.node.clientHeight;
    this.node.scrollTop = this.isScaled ? (this.top / Math.max(1, this.greatestTop)) * way : this.top * ROW_HEIGHT;
    this.ownScroll = this.node.scrollTop;
    this.draw();
  }

  /** Marks a position and brings it in sight. */
  select(position) {
    this.current = position;
    const index = Math.max(0, this.selection.indexAt(position));
    if (index < this.top || index >= this.top + this.visible - 1) {
      this.moveTo(index - Math.floor(this.visible / 3));
    } else {
      this.draw();
    }
  }

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.drawNow();
    });
  }

  drawNow() {
    const first = Math.max(0, Math.floor(this.top) - ROWS_BEYOND);
    const last = Math.min(this.selection.count, Math.ceil(this.top) + this.visible + ROWS_BEYOND);
    const missing = [];
    while (this.rows.childElementCount > Math.max(0, last - first)) this.rows.lastElementChild.remove();
    for (let index = first; index < last; index += 1) {
      const position = this.selection.positionAt(index);
      const event = this.kept.get(position);
      if (!event) missing.push(position);
      const place = index - first;
      const row = this.rows.children[place] ?? this.rows.appendChild(this.newRow());
      this.fill(row, index, position, event);
    }
    this.rows.style.transform = `translateY(${this.node.scrollTop - (this.top - first) * ROW_HEIGHT}px)`;
    this.node.setAttribute("aria-activedescendant", `event-${this.current}`);
    if (missing.length) this.latest.ask(missing).catch(report);
  }

  newRow() {
    const row = element("div", "event");
    row.setAttribute("role", "option");
    return row;
  }

  fill(row, index, position, event) {
    const isCurrent = position === this.current;
    row.id = `event-${position}`;
    row.setAttribute("aria-selected", isCurrent);
    row.setAttribute("aria-setsize", this.selection.count);
    row.setAttribute("aria-posinset", index + 1);
    row.classList.toggle("later", position > this.current);
    const { hit } = this.selection;
    if (Number(row.dataset.position) === position && row.event === event && row.hit === hit) return;
    row.dataset.position = position;
    Object.assign(row, { event, hit });
    row.replaceChildren(...this.parts(position, event));
  }

  parts(position, event) {
    const number = element("span", "position", count(position));
    if (!event) return [number, element("span", "type", "…")];
    if (event.damage) return [number, word(event.damage, "damage")];
    const values = new Map(event.columns);
    const { hit } = this.selection;
    const isHit = ([, text]) => Boolean(hit) && text.toLowerCase().includes(hit.toLowerCase());
    const others = event.columns.filter((column) => column[1] && column[0] !== "conversation" && (!UNTOLD.has(column[0]) || isHit(column)))
      .sort((one, other) => isHit(other) - isHit(one) || rank(one) - rank(other)).slice(0, 8);
    const [date, clock] = instant(event.recordedTime);
    const type = values.get("type") ?? "";
    return [
      element("div", "line", number, word(type, `type of-${family(type)}`, hit), element("time", "", `${date} ${clock}`)),
      element("div", "line", element("span", "in", fieldNode(["", values.get("conversation") ?? "", "conversation"], word, hit)),
        element("span", "others", ...others.flatMap((column) => [
          ["sender", "text", "type"].includes(column[0]) ? null : element("i", "", shown(column[0])),
          fieldNode([column[0], excerpt(column[1], hit), column[2]], word, hit), " "]))),
    ];
  }

  async load(positions) {
    const wanted = positions.filter((position) => !this.kept.has(position)).slice(0, 200);
    if (!wanted.length) return;
    for (const event of await this.source.events(wanted)) this.kept.set(event.position, event);
    for (const position of this.kept.keys()) {
      if (this.kept.size <= KEPT_EVENTS) break;
      this.kept.delete(position);
    }
    this.draw();
  }

  /** An event, from those that are kept or from the source. */
  async event(position) {
    const kept = this.kept.get(position);
    if (kept) return kept;
    const [event] = await this.source.events([position]);
    if (event) this.kept.set(position, event);
    return event;
  }
}

/** A part of a long value, with what was searched. */
function excerpt(text, hit) {
  const place = hit ? text.toLowerCase().indexOf(hit.toLowerCase()) : 0;
  const first = place > 30 ? place - 15 : 0;
  return (first ? "…" : "") + text.slice(first, first + 120) + (text.length > first + 120 ? "…" : "");
}

/** What a row has a place for, and what is left to the panel that shows all fields. */
const UNTOLD = new Set(["position", "recordedTime", "origin", "type", "conversation", "commit", "id", "device", "serverTime"]);

/** Who and what come before ids and times, of which there is more in the panel. */
function rank([name, , kind]) {
  if (kind === "user" || name === "text") return 0;
  return /^(serverID|contentType|countsUnread|updatesLastMessage|mentionsEveryone|needsReceipt|time|.*Time)$/.test(name) ? 2 : 1;
}

/** The family of a type of events, for its colour. */
function family(type) {
  if (type.includes(".")) return "host";
  if (/Sync|Session|Package|Connection/.test(type)) return "sync";
  if (/Read|Unread|Receipt|Delivered/.test(type)) return "read";
  if (/^Message|Reaction|Attachment/.test(type)) return "message";
  return "other";
}
