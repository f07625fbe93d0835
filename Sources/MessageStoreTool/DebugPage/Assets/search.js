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

  /** Looks for events; a search that goes on is given up. */
  async search(filter) {
    this.controller?.abort();
    this.controller = null;
    if (!Object.values(filter).some((value) => value)) {
      this.found = null;
      this.next = null;
      this.onChange(null);
      return;
    }
    const controller = new AbortController();
    this.controller = controller;
    this.found = [];
    this.next = this.first;
    this.onChange(null);
    try {
      await this.source.search(filter, controller.signal, (positions, next) => {
        if (this.controller !== controller) return;
        for (const position of positions) this.found.push(position);
        this.next = next;
        this.onChange(null);
      });
    } catch (error) {
      if (this.controller !== controller) return;
      this.next = null;
      this.onChange(error);
    }
  }

  /** How many were found, and how much is still to be looked at. */
  get words() {
    if (!this.found) return count(this.count);
    const found = `${count(this.found.length)} found`;
    if (this.next === null) return found;
    return `${found}, ${Math.floor((100 * (this.next - this.first)) / Math.max(1, this.end - this.first + 1))} % searched`;
  }
}
