"use strict";
// Words of the store on the page: never as markup, and never in a form that hides or turns anything around.

const HARMFUL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;
const MARK = /[\p{Mn}\p{Me}]/u;
const EMOJI = /\p{Emoji}/u;
const GREATEST_RUN_OF_MARKS = 8;

/** The text as the tool prints it in a terminal: what cannot be seen is an escape such as \u{202E}. */
function shown(text) {
  text = String(text);
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const characters = Array.from(text);
  let result = "";
  let marks = 0;
  let isColoured = false;
  characters.forEach((character, index) => {
    const follows = index > 0 && isEmoji(characters[index - 1]);
    const isJoint = character === "\uFE0F" ? follows
      : character === "\u200D" && (follows || isColoured) && isEmoji(characters[index + 1]);
    isColoured = character === "\uFE0F" && follows;
    marks = character.codePointAt(0) >= 0x300 && MARK.test(character) ? marks + 1 : 0;
    if (marks > GREATEST_RUN_OF_MARKS) return;
    result += !isJoint && HARMFUL.test(character) ? escaped(character) : character;
  });
  return result;
}

function isEmoji(character) {
  return character !== undefined && character.codePointAt(0) > 0xff && EMOJI.test(character);
}

function escaped(character) {
  switch (character) {
    case "\t": return " ";
    case "\n": return "\\n";
    case "\r": return "\\r";
    default: return `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`;
  }
}

/** An element with children; a string among them becomes a text of its own. */
function element(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A word of the store, which keeps its direction to itself; what was searched is marked. */
function word(text, className, hit) {
  const node = element("bdi", className, ...pieces(text, hit));
  node.dir = "auto";
  return node;
}

/** The same with the line breaks that were written. */
function lines(text, className, hit) {
  const [first, ...others] = String(text).split(/\r\n?|\n/);
  const node = word(first, className, hit);
  for (const line of others) node.append(element("br"), ...pieces(line, hit));
  return node;
}

const TIME = /(\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?)/;

/** A text in which times do not break, and what was searched is marked. */
function pieces(text, hit) {
  const pattern = hit ? new RegExp(`(${shown(hit).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")})`, "giu") : /$^/;
  return shown(text).split(pattern).flatMap((part, index) => index % 2 ? [element("mark", "", part)]
    : part.split(TIME).map((piece, place) => (place % 2 ? element("span", "moment", piece) : piece)));
}

/** The names of conversations and people, by the ids that the log has for them. */
const NAMES = new Map();

function learn(id, name) { if (name && name !== id) NAMES.set(id, name); }

/** A name in place of an id, which the pointer shows. */
function named(id, className) {
  const node = word(NAMES.get(id) ?? id, className);
  if (NAMES.has(id)) node.title = shown(id);
  return node;
}

/** A field of an event; people and conversations by their names, unless the id is what was searched. */
function fieldNode([, text, kind], make = word, hit = undefined) {
  const isNamed = ["user", "conversation"].includes(kind) && !(hit && text.toLowerCase().includes(hit.toLowerCase()));
  if (!isNamed) return make(text, "", hit);
  if (kind === "conversation" || NAMES.has(text)) return named(text);
  return element("span", "", ...text.split(" ").flatMap((id, index) => (index ? [", ", named(id)] : [named(id)])));
}

/** A value before and after; long ones one under the other. */
function turned(before, after) {
  const isLong = String(before).length + String(after).length > 30;
  return element("div", isLong ? "turned stacked" : "turned", word(before, "before"),
    element("span", "arrow", "→ ", word(after, "after")));
}

function byID(id) { return document.getElementById(id); }

function count(number) { return Number(number).toLocaleString("en-US"); }

/** A time as the tool's options take it; nothing for one that is not known. */
function moment(milliseconds) {
  if (!(milliseconds > 0) || milliseconds > 8.64e15) return "";
  return new Date(milliseconds).toISOString().replace("T", " ").replace(/\.000Z$|Z$/, "");
}

/** The date and the time of day, with milliseconds; nothing for a time that is not known. */
function instant(milliseconds) {
  if (!(milliseconds > 0) || milliseconds > 8.64e15) return ["", ""];
  return new Date(milliseconds).toISOString().replace("Z", "").split("T");
}

/** The name under which the store knows a conversation that is told in parts. */
function keyOf(conversation) {
  const id = conversation.conversation.replace(/[#\\]/g, "\\$&");
  return `${conversation.kind}:${id}${conversation.channel ? "#" + conversation.channel : ""}`;
}
