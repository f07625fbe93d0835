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

/** A word of the store, which keeps its direction to itself. */
function word(text, className) {
  const node = element("bdi", className, shown(text));
  node.dir = "auto";
  return node;
}

function byID(id) { return document.getElementById(id); }

function count(number) { return Number(number).toLocaleString("en-US"); }

/** A time as the tool's options take it; nothing for one that is not known. */
function moment(milliseconds) {
  if (!(milliseconds > 0) || milliseconds > 8.64e15) return "";
  return new Date(milliseconds).toISOString().replace("T", " ").replace(/\.000Z$|Z$/, "");
}

/** The name under which the store knows a conversation that is told in parts. */
function keyOf(conversation) {
  return `${conversation.kind}:${conversation.conversation}${conversation.channel ? "#" + conversation.channel : ""}`;
}
