"use strict";
// Which events the list shows: all of them, or those that were found.

class Selection {
  constructor(source, onChange) {
    this.source = source;
    this.onChange = onChange;
    this.first = 1;
    this.end = 0;
    this.found = null;
    this.next = null;
    this.controller = null;
  }

  get count() { return this.found ? this.found.length : Math.max(0, this.end - this.first + 1); }

  positionAt(index) { return this.found ? this.found[index] : this.first + index; }

  /** The index of the last event at or before a position; -1 where there is none. */
  indexAt(position) {
    if (!this.found) return Math.min(position, this.end) - this.first;
    let [low, high] = [0, this.found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.found[middle] <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Looks for events from a position to the end, then for those before it; a search that goes on is given up. */
  async search(filter, position) {
    this.stop();
    this.hit = filter.text ?? "";
    if (!Object.values(filter).some((value) => value)) {
      this.found = null;
      this.next = null;
      this.onChange(null);
      return;
    }
    const controller = new AbortController();
    this.controller = controller;
    const start = Math.max(this.first, position);
    const parts = [{ from: start, to: this.end, found: [] }, { from: this.first, to: start - 1, found: [] }];
    this.found = [];
    this.next = start;
    this.searched = 0;
    this.onChange(null);
    try {
      for (const part of parts.filter(({ from, to }) => from <= to)) {
        await this.source.search(filter, part.from, part.to, controller.signal, (positions, next) => {
          if (this.controller !== controller) return;
          part.found = part.found.concat(positions);
          this.found = parts[1].found.concat(parts[0].found);
          const isLast = next === null && (part === parts[1] || start === this.first);
          this.next = isLast ? null : next ?? this.first;
          this.searched = (next ?? part.to + 1) - part.from + (part === parts[1] ? this.end - start + 1 : 0);
          this.onChange(null, part === parts[1] ? positions.length : 0);
        });
      }
    } catch (error) {
      if (this.controller !== controller) return;
      this.next = null;
      this.onChange(error);
    }
  }

  /** Ends a search; what was found stays. */
  stop() {
    this.controller?.abort();
    this.controller = null;
    this.isCut = this.next !== null;
    this.next = null;
  }

  /** How many were found, and how much is still to be looked at. */
  get words() {
    if (!this.found) return count(this.count);
    const found = `${count(this.found.length)} found`;
    if (this.next === null) return this.isCut ? `${found}, search cancelled` : found;
    return `${found}, ${Math.floor((100 * this.searched) / Math.max(1, this.end - this.first + 1))} % searched`;
  }
}
