"use strict";
// The course of a counter over the log.

const POINTS = 1000;
/** The distance of the snapshots that the server keeps: at one of them a number costs nothing. */
const SNAPSHOTS = 4096;

class Chart {
  constructor(source, onSelect) {
    this.source = source;
    this.node = byID("chart");
    this.points = [];
    this.span = [0, 0];
    this.node.addEventListener("click", (event) => {
      const [first, last] = this.span;
      const box = this.node.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      onSelect(Math.round(first + share * (last - first)));
    });
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  /** Asks for the course of a counter between two positions. */
  async load(question, first, last) {
    const name = JSON.stringify([question, first, last]);
    if (name === this.name) return;
    this.name = name;
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    this.span = [first, last];
    this.points = [];
    let step = Math.max(1, Math.ceil((last - first) / POINTS));
    // Long logs are looked at where the server needs not fold anything, and from a multiple of that on.
    if (step > SNAPSHOTS / 8) step = Math.ceil(step / SNAPSHOTS) * SNAPSHOTS;
    const from = step >= SNAPSHOTS ? Math.ceil(first / SNAPSHOTS) * SNAPSHOTS : first;
    this.step = step;
    try {
      await this.source.chart({ ...question, from: Math.min(from, last), to: last, step }, controller.signal, (points) => {
        if (this.controller !== controller) return;
        this.points.push(...points);
        this.draw();
      });
    } catch (error) {
      if (this.controller === controller) report(error);
    }
  }

  mark(position) {
    this.position = position;
    this.draw();
  }

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.drawNow();
    });
  }

  drawNow() {
    const { clientWidth: width, clientHeight: height } = this.node;
    const scale = window.devicePixelRatio || 1;
    if (this.node.width !== width * scale) this.node.width = width * scale;
    if (this.node.height !== height * scale) this.node.height = height * scale;
    const context = this.node.getContext("2d");
    // A canvas takes no variables: the node's own colour tells what one is in the light or the dark.
    const colour = (name) => {
      this.node.style.color = `var(${name})`;
      return getComputedStyle(this.node).color;
    };
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const [first, last] = this.span;
    const greatest = this.points.reduce((most, [, value]) => Math.max(most, value), 1);
    // A part of a log may be far from zero: what changed is to be seen.
    const least = this.points.reduce((least, [, value]) => Math.min(least, value), greatest);
    const lowest = least > greatest / 2 ? least : 0;
    const x = (position) => ((position - first) / Math.max(1, last - first)) * (width - 2) + 1;
    const y = (value) => height - 6 - ((value - lowest) / Math.max(1, greatest - lowest)) * (height - 22);
    this.drawCourse(context, x, y, height, colour);
    this.drawLine(context, x(this.position ?? first), height, colour("--accent"));
    context.fillStyle = colour("--quiet");
    context.font = "11px system-ui, sans-serif";
    context.fillText(count(greatest), 4, 11);
    if (lowest) context.fillText(count(lowest), 4, height - 8);
    this.tell(least, greatest);
  }

  drawCourse(context, x, y, height, colour) {
    if (!this.points.length) return;
    context.beginPath();
    this.points.forEach(([position, value], index) => {
      if (index) context.lineTo(x(position), y(this.points[index - 1][1]));
      else context.moveTo(x(position), y(value));
      context.lineTo(x(position), y(value));
    });
    context.strokeStyle = colour("--line");
    context.lineWidth = 1.5;
    context.stroke();
    const [end] = this.points[this.points.length - 1];
    context.lineTo(x(end), height);
    context.lineTo(x(this.points[0][0]), height);
    context.fillStyle = colour("--area");
    context.fill();
  }

  drawLine(context, x, height, colour) {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
  }

  tell(least, greatest) {
    const [first, last] = this.span;
    const each = this.step > 1 ? `, every ${count(this.step)} events` : "";
    const words = `${count(first)} to ${count(last)}: ${count(least)} to ${count(greatest)}${each}`;
    byID("course-text").textContent = words;
    this.node.setAttribute("aria-label", `Chart of the counter from ${words}`);
  }
}
