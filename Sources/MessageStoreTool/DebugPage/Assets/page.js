"use strict";
// The page as a whole: one position, and everything that is shown of it.

class Page {
  constructor(source, info) {
    this.source = source;
    this.info = info;
    this.position = info.end;
    this.question = { follow: 1 };
    this.selection = new Selection(source, (error, before) => this.selectionChanged(error, before));
    this.selection.first = info.first ?? 1;
    this.selection.end = info.end;
    const choose = (choice) => this.choose(choice);
    this.list = new EventList(this.selection, source, (position) => this.go(position));
    this.panels = new StatePanels(choose);
    this.marks = new Marks(source, info.bookkeeping, choose);
    this.chart = new Chart(source, (position) => this.go(position));
    this.sizes = new Sizes(source);
    this.why = new Why(source, () => ({ ...this.question, ...this.shown }), (position) => this.go(position));
    this.openTab = listenToTabs((number) => { if (number === 2) this.why.ask(); });
    this.latest = new Latest((question) => this.load(question));
    this.listen();
    this.start();
  }

  start() {
    const part = this.info.first > 1 ? `, ${count(this.info.first)} to ${count(this.info.end)}` : "";
    byID("account").textContent = shown(this.info.account) + part;
    byID("slider").min = this.lowest;
    byID("slider").max = this.info.end;
    byID("type").append(...this.info.types.map((type) => {
      const option = element("option", "", shown(type));
      option.value = type;
      return option;
    }));
    if (!this.source.isLive) document.documentElement.classList.add("embedded");
    this.selectionChanged(null);
    this.go(this.info.end);
  }

  get lowest() { return (this.info.first ?? 1) - 1; }

  /** Goes to a position. */
  go(position) {
    this.position = Math.min(Math.max(this.lowest, position), this.info.end);
    byID("slider").value = this.position;
    byID("where").textContent = `${count(this.position)} of ${count(this.info.end)}`;
    byID("slider").setAttribute("aria-valuetext", byID("where").textContent);
    this.list.select(this.position);
    this.chart.mark(this.position);
    this.question = { ...this.question, at: this.position, newest: undefined };
    this.ask();
  }

  /** Goes some rows of the list further, or back. */
  step(rows) {
    const index = this.selection.indexAt(this.position);
    // Nothing is before the first row.
    if (this.selection.count === 0 || (index < 0 && rows < 0)) return;
    const isBetween = index < 0 || this.selection.positionAt(index) !== this.position;
    const next = isBetween && rows < 0 ? index + rows + 1 : index + rows;
    if (next < 0 && !this.selection.found) this.go(this.lowest);
    else this.go(this.selection.positionAt(Math.min(Math.max(0, next), this.selection.count - 1)));
  }

  /** Shows another conversation, another page of a list, or the events of a message. */
  choose(choice) {
    if (choice.message !== undefined) {
      byID("of-message").value = `local:${choice.message}`;
      this.search();
      return;
    }
    if (choice.why !== undefined) {
      this.explain(choice.why);
      return;
    }
    if (choice.conversation !== undefined) this.follow(false);
    this.question = { ...this.question, ...choice };
    this.ask();
  }

  follow(isFollowing) {
    this.question = { ...this.question, follow: isFollowing ? 1 : undefined };
    byID("follow").setAttribute("aria-pressed", isFollowing);
  }

  ask() { this.latest.ask(this.question).catch(report); }

  async load(question) {
    try {
      const [state, event] = await Promise.all([
        this.source.state(question, (info) => this.folding(info)),
        question.at > this.lowest ? this.list.event(question.at) : null,
      ]);
      this.show(state, event, question);
      report(null);
    } catch (error) {
      this.pause();
      report(error);
    }
  }

  show(state, event, question) {
    this.shownPosition = state.position;
    if (state.timeline && this.question.conversation !== state.timeline.conversation && question === this.question) {
      this.question.conversation = state.timeline.conversation;
    }
    if (!state.timeline && !this.question.conversation && state.conversations.length && question === this.question) {
      // An event of no conversation, before one is chosen: the first of the list.
      this.question = { ...this.question, conversation: keyOf(state.conversations[0]) };
      this.ask();
    }
    this.panels.show(state, question);
    this.shown = { at: state.position, event, changes: state.changes };
    showEvent(byID("event"), event, this.selection.hit);
    byID("event-title").textContent = event ? `Event ${count(state.position)}` : "Event";
    const time = event?.recordedTime ? ` · ${instant(event.recordedTime).join(" ")} UTC` : "";
    byID("where").textContent = `${count(state.position)} of ${count(this.info.end)}${time}`;
    showChanges(byID("changes"), byID("change-count"), state.changes, this.info.bookkeeping, (choice) => this.choose(choice));
    this.loadChart();
    if (this.why.shownAt !== state.position) this.why.follow();
    this.why.shownAt = state.position;
    document.documentElement.dataset.shown = state.position;
  }

  loadChart() {
    const counter = byID("counter").value;
    const size = Number(byID("range").value);
    if (counter === "unread" && !this.question.conversation) return;
    const question = counter === "unread" ? { of: counter, conversation: this.question.conversation } : { of: counter };
    const centre = Math.floor(this.position / Math.max(1, size / 4)) * (size / 4);
    const first = size ? Math.max(this.lowest, centre - size / 2) : this.lowest;
    this.chart.load(question, first, size ? Math.min(this.info.end, first + size) : this.info.end);
    this.chart.mark(this.position);
  }

  folding(info) {
    byID("folding").hidden = !info;
    if (!info) return;
    byID("folded").max = info.end;
    byID("folded").value = info.folded;
    byID("folded-text").textContent = `folding the log: ${count(info.folded)} of ${count(info.end)} events`;
  }

  search(isAgain = false) {
    const filter = {
      [byID("search-in").value]: byID("text").value, type: byID("type").value,
      conversation: byID("in-conversation").value, message: byID("of-message").value,
    };
    // A field that is left tells of a change that was searched for already.
    const name = JSON.stringify(filter);
    if (name === this.searched && !isAgain) return;
    this.searched = name;
    this.selection.search(filter, this.position);
  }

  /** `before` is how many rows are new before those that were there. */
  selectionChanged(error, before = 0) {
    byID("cancel").hidden = this.selection.next === null;
    this.list.top += before;
    byID("found").textContent = this.selection.words;
    if (error) byID("found").textContent = shown(error.message);
    this.list.update();
    if (this.selection.next === null) this.list.select(this.position);
  }

  async jump() {
    try {
      this.go(await this.source.position(byID("moment").value.trim().replace(/(\d),(?=\d{3})/g, "$1")));
      byID("moment").blur();
    } catch (error) {
      report(error);
    }
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    this.isPlaying = true;
    byID("play").setAttribute("aria-pressed", "true");
    byID("play").textContent = "Pause";
    const next = () => {
      if (!this.isPlaying) return;
      // One step at a time: the next waits until the last is shown.
      if (this.shownPosition === this.position) this.step(1);
      if (this.position >= this.info.end) this.pause();
      else setTimeout(next, 120);
    };
    next();
  }

  pause() {
    this.isPlaying = false;
    byID("play").setAttribute("aria-pressed", "false");
    byID("play").textContent = "Play";
  }

  /** Chooses the conversation that stands some rows further in the list. */
  stepConversation(rows) {
    const keys = (this.panels.state?.conversations ?? []).map(keyOf);
    if (!keys.length) return;
    const index = keys.indexOf(this.question.conversation);
    this.choose({ conversation: keys[Math.min(Math.max(0, index + rows), keys.length - 1)], before: undefined });
  }

  listen() {
    const click = (id, act) => byID(id).addEventListener("click", act);
    click("to-start", () => this.go(this.lowest));
    click("to-end", () => this.go(this.info.end));
    click("back", () => this.step(-1));
    click("forward", () => this.step(1));
    click("play", () => this.toggle());
    click("follow", () => {
      this.follow(!this.question.follow);
      this.ask();
    });
    click("theme", () => this.theme());
    click("sizes-button", () => this.sizes.open());
    click("help-button", () => byID("help").showModal());
    click("mark-a", () => this.mark(0));
    click("mark-b", () => this.mark(1));
    click("cancel", () => {
      this.selection.stop();
      this.selectionChanged(null);
    });
    byID("moment").addEventListener("focus", () => byID("moment").select());
    byID("slider").addEventListener("input", (event) => this.go(Number(event.target.value)));
    byID("jump").addEventListener("submit", (event) => { event.preventDefault(); this.jump(); });
    byID("filters").addEventListener("submit", (event) => { event.preventDefault(); this.search(true); });
    byID("filters").addEventListener("reset", () => setTimeout(() => this.search()));
    byID("filters").addEventListener("change", () => this.search());
    let typing;
    byID("text").addEventListener("input", () => {
      clearTimeout(typing);
      // Words are whole: they are looked for when they are.
      if (byID("search-in").value === "text") typing = setTimeout(() => this.search(), 250);
    });
    byID("counter").addEventListener("change", () => this.loadChart());
    byID("range").addEventListener("change", () => this.loadChart());
    listenToKeys(this.actions);
  }

  mark(index) {
    this.openTab(1);
    this.marks.set(index, this.position);
  }

  explain(kind) {
    if (!this.source.isLive) return;
    this.openTab(2);
    this.why.show(kind);
  }

  theme() {
    switchTheme();
    this.chart.draw();
  }

  get actions() {
    return {
      j: () => this.step(1), ArrowDown: () => this.step(1), k: () => this.step(-1), ArrowUp: () => this.step(-1),
      ArrowRight: () => this.go(this.position + 1), ArrowLeft: () => this.go(this.position - 1),
      PageDown: () => this.step(20), PageUp: () => this.step(-20),
      Home: () => this.go(this.lowest), End: () => this.go(this.info.end),
      " ": () => this.toggle(), "/": () => byID("text").focus(), g: () => byID("moment").focus(),
      n: () => this.stepConversation(1), p: () => this.stepConversation(-1),
      f: () => byID("follow").click(), t: () => this.theme(),
      b: () => { if (this.source.isLive) this.sizes.open(); },
      "[": () => this.mark(0), "]": () => this.mark(1),
      1: () => this.openTab(0), 2: () => this.openTab(1), 3: () => this.explain("event"),
      "?": () => byID("help").showModal(),
    };
  }
}

/** Shows what went wrong, until something goes right. */
function report(error) {
  if (error?.name === "AbortError") return;
  byID("error").hidden = !error;
  byID("error").textContent = error ? shown(error.message) : "";
}

async function start() {
  const data = byID("data");
  try {
    const source = data ? new EmbeddedSource(await unpacked(data.textContent)) : new ServerSource();
    window.page = new Page(source, await source.info());
  } catch (error) {
    report(error);
  }
}

start();
