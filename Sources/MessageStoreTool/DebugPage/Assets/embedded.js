"use strict";
// Where a page that was written to a file gets what it shows: from the file.

class EmbeddedSource {
  isLive = false;

  /** `steps[0]` is all that was there before the first event; each further step is what an event changed. */
  constructor({ info, names, events, steps }) {
    for (const [id, name] of Object.entries(names)) learn(id, name);
    this.facts = info;
    this.rows = events;
    this.steps = steps;
    this.begin();
  }

  begin() {
    this.reached = 0;
    this.now = { totals: null, list: [], conversations: {}, unread: {}, marks: {}, timelines: {}, messages: {} };
    this.apply(this.steps[0]);
  }

  apply(step) {
    if (step.totals) this.now.totals = step.totals;
    if (step.list) this.now.list = step.list;
    // Those that the step replaces tell whose marks moved.
    this.earlier = Object.fromEntries(Object.keys(step.marks).map((key) => [key, this.now.marks[key]?.readers ?? []]));
    for (const name of ["conversations", "unread", "marks", "timelines", "messages"]) Object.assign(this.now[name], step[name]);
  }

  /** Goes to the state after a number of events. */
  moveTo(number) {
    if (number < this.reached) this.begin();
    while (this.reached < number) {
      this.reached += 1;
      this.apply(this.steps[this.reached]);
    }
  }

  async info() { return { ...this.facts, folded: this.facts.end }; }

  async events(positions) { return positions.map((position) => this.rows[position - this.facts.first]); }

  async state({ at, conversation, follow, newest }) {
    const number = at - this.facts.first + 1;
    this.moveTo(number);
    const step = number > 0 ? this.steps[number] : { conversations: {}, unread: {}, marks: {}, messages: {}, changes: [] };
    const own = number > 0 ? this.conversationOf(this.rows[number - 1]) : undefined;
    const key = follow && own ? own : conversation;
    // A message that the event changed, and that is none of the newest, is shown among its neighbours.
    const around = key === own && !newest ? step.around : undefined;
    const marks = around?.marks ?? this.now.marks[key] ?? { gaps: [], readers: [] };
    const earlier = (key in step.marks && !around ? this.earlier[key] : marks.readers).map((reader) => JSON.stringify(reader));
    const withMark = (value, isChanged) => ({ ...value, changed: isChanged });
    return {
      position: at,
      totals: withMark(this.now.totals, Boolean(step.totals)),
      conversations: this.now.list.map((name) => withMark(this.now.conversations[name], name in step.conversations)),
      hasMore: false,
      timeline: key === undefined ? null : {
        conversation: key,
        unread: withMark(this.now.unread[key] ?? { messages: 0, mentions: 0 }, key in step.unread),
        marks, moved: marks.readers.filter((reader) => !earlier.includes(JSON.stringify(reader))).map(({ user }) => user ?? null),
        messages: around?.messages
          ?? (this.now.timelines[key] ?? []).map((id) => withMark(this.now.messages[id], id in step.messages)),
        hasOlder: false, hasNewer: Boolean(around),
      },
      changes: { ...firstOf(step.changes), notes: step.notes },
    };
  }

  conversationOf(row) { return new Map(row.columns).get("conversation"); }

  async changes(from, to) { return firstOf(this.differences(from, to)); }

  /** Rows that differ: of each, what was before its first change and what is after the last one. */
  differences(from, to) {
    const rows = new Map();
    for (const { changes } of this.steps.slice(from - this.facts.first + 2, to - this.facts.first + 2)) {
      for (const change of changes) {
        const name = JSON.stringify([change.projection, change.table, change.keyParts ?? change.key]);
        const row = rows.get(name) ?? { ...change, parts: new Map() };
        rows.set(name, row);
        row.versions = [row.versions[0], change.versions[1]];
        for (const part of change.parts ?? [{ name: "row", ...change }]) {
          const before = row.parts.has(part.name) ? row.parts.get(part.name).before : part.before;
          row.parts.set(part.name, { name: part.name, before, after: part.after });
        }
      }
    }
    return [...rows.values()].filter(({ versions: [before, after] }) => before !== after)
      .map((row) => {
        const parts = [...row.parts.values()];
        const others = parts.filter((part) => part.before !== part.after);
        // Texts are shown by their lengths, so what differs may look alike.
        const [isNew, isGone] = row.versions.map((version) => version === 0);
        return { ...row, parts: others.length ? others : parts, isNew, isGone };
      })
      .sort((one, other) => (one.projection < other.projection ? -1 : one.projection > other.projection ? 1 : 0));
  }

  async position(text) {
    const { first, end } = this.facts;
    let position;
    if (/^[+-]?\d+$/.test(text)) {
      position = Number(text) < 0 ? end + Number(text) + 1 : Number(text);
    } else {
      // Without a zone it is UTC, as it is for the tool; a date alone is that anyway.
      const hasZone = /^[^T ]*$|Z$|[T ].*[+-]\d\d:?\d\d$/.test(text);
      const time = Date.parse(text.replace(" ", "T") + (hasZone ? "" : "Z"));
      position = first - 1 + this.rows.filter((row) => row.recordedTime <= time).length;
      if (Number.isNaN(time)) position = NaN;
    }
    if (!(position >= first - 1 && position <= end)) throw new Error(`this page has the positions ${first} to ${end}, and their times`);
    return position;
  }

  async search({ text, type, conversation }, from, to, signal, onPart) {
    const words = text?.toLowerCase();
    const found = this.rows.slice(from - this.facts.first, to - this.facts.first + 1).filter(({ columns }) => {
      const values = new Map(columns);
      const own = values.get("conversation") ?? "";
      if (type && values.get("type") !== type) return false;
      if (conversation && own !== conversation && NAMES.get(own) !== conversation && own.slice(own.indexOf(":") + 1) !== conversation) return false;
      return !words || columns.some(([, value]) => value.toLowerCase().includes(words));
    });
    onPart(found.map((row) => row.position), null);
  }

  async chart({ of, conversation, from, to, step }, signal, onPart) {
    let value = 0;
    const points = [];
    const names = { badge: "badge", total: "total", mentions: "mentions", conversations: "conversations" };
    for (let position = this.facts.first - 1; position <= to; position += 1) {
      const { totals, unread } = this.steps[position - this.facts.first + 1];
      if (of === "unread") value = unread[conversation]?.messages ?? value;
      else value = totals?.[names[of]] ?? value;
      if (position >= from && ((position - from) % step === 0 || position === to)) points.push([position, value]);
    }
    onPart(points);
  }
}

/** What a file has within: JSON, deflated, in base64. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

/** What is shown of rows that differ, and how many there are. */
function firstOf(rows) { return { changes: rows.slice(0, 60), count: rows.length }; }
