"use strict";
// The keyboard: everything that can be clicked can be reached by a key.

/** Calls the action of a key, unless it is meant for a field. */
function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (event.key === "Escape") {
      target.blur();
      return;
    }
    if (isField(target) || document.querySelector("dialog[open]")) return;
    if (target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
    if (target.type === "range" && /^(Arrow|Page|Home|End)/.test(event.key)) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function isField(node) {
  return node.tagName === "SELECT" || node.tagName === "TEXTAREA" || (node.tagName === "INPUT" && node.type !== "range");
}

/** Light, dark, or as the system has it. */
function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}
