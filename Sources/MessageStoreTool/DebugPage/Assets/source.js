"use strict";
// Where the page gets what it shows: from the command that serves it.

class ServerSource {
  isLive = true;

  /** Asks until there is an answer; `onWait` is told how far the log was folded. */
  async ask(name, parameters, onWait = () => {}, signal = undefined) {
    for (;;) {
      const query = Object.entries(parameters)
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
      const answer = await fetch(`${name}?${query}`, { signal, cache: "no-store" });
      const value = await answer.json();
      if (answer.status === 200) {
        onWait(null);
        return value;
      }
      if (answer.status !== 202) throw new Error(value.error ?? `the server answered ${answer.status}`);
      onWait(value);
      await new Promise((resume) => setTimeout(resume, 120));
    }
  }

  info() { return this.ask("info", {}); }

  async events(positions) {
    const { events, names } = await this.ask("events", { positions: ranges(positions) });
    for (const [id, name] of Object.entries(names)) learn(id, name);
    return events;
  }

  async position(text) { return (await this.ask("position", { moment: text })).position; }

  sizes() { return this.ask("sizes", {}); }

  state(question, onWait) { return this.ask("state", question, onWait); }

  changes(from, to, onWait) { return this.ask("changes", { from, to }, onWait); }

  why(question) { return this.ask("why", question); }

  suspects(question, signal) { return this.ask("suspects", question, undefined, signal); }

  /** Calls `onPart` with the positions of each part and where the search is. */
  async search(filter, from, to, signal, onPart) {
    while (from) {
      const part = await this.ask("search", { ...filter, from, to }, undefined, signal);
      const isPreparing = part.next === from && part.positions.length === 0;
      onPart(part.positions, part.next ?? null);
      if (isPreparing) await new Promise((resume) => setTimeout(resume, 120));
      from = part.next;
    }
  }

  /** Calls `onPart` with the points of each part. */
  async chart(question, signal, onPart) {
    let from = question.from;
    while (from !== undefined && from !== null) {
      const part = await this.ask("chart", { ...question, from }, undefined, signal);
      onPart(part.points);
      from = part.next;
    }
  }
}

/** Positions in rising order, as ranges such as 1-100,205. */
function ranges(positions) {
  const parts = [];
  for (const position of positions) {
    const last = parts[parts.length - 1];
    if (last && last[1] === position - 1) last[1] = position;
    else parts.push([position, position]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** Asks one question at a time; of those that come meanwhile only the last one is asked. */
class Latest {
  constructor(run) {
    this.run = run;
    this.next = null;
    this.isRunning = false;
  }

  async ask(question) {
    this.next = { question };
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      while (this.next) {
        const { question } = this.next;
        this.next = null;
        await this.run(question);
      }
    } finally {
      this.isRunning = false;
    }
  }
}
