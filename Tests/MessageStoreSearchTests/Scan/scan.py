"""Answers which messages a search finds, by reading all of them; with the rules of oracle.py and nothing of the library.

scan.py texts FILE COUNT   prints the first texts of a log of shared/data, a JSON object a line
scan.py                    reads JSON objects, one a line:
    {"set": [{"id": 7, "text": "…", "conversation": "…", "sender": "…", "type": "…", "time": 1, "mentions": false,
        "fileName": "…"}]}
    {"drop": [7]}          those messages are not shown any more
    {"find": {…}}          answers a line with the hits, the highest first, each {"id": 7, "isFileName": false}; null for a query
                           without anything to look for
"""

import gzip
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Folding"))
import oracle  # noqa: E402

# No folded text has these: what joins or parts a unit and the one before, and what ends the last.
JOINED, PARTED, END = "\x01", "\x02", "\x03"
LINK = re.compile(r"https?://|www\.", re.IGNORECASE | re.ASCII)
BYTES_OF_A_TEXT = 65_536


def folded(text):
    """The units of a text as one string."""
    line = ""
    for unit in oracle.units(text.encode()[:BYTES_OF_A_TEXT]):
        line += (JOINED if unit["joined"] else PARTED) + ("w" if unit["kind"] == oracle.WORD else "c") + unit["text"]
    return line + END


def pattern(term):
    """An expression for the units of a term in a row; None where there are none. And a part that each match has."""
    expression, parts = "", []
    units = oracle.units(term["text"].encode())
    for index, unit in enumerate(units):
        kind = "w" if unit["kind"] == oracle.WORD else "c"
        expression += JOINED if index > 0 and unit["joined"] else f"[{JOINED}{PARTED}]"
        expression += kind + re.escape(unit["text"])
        parts.append(kind + unit["text"])
        if index == len(units) - 1 and term["isPrefix"] and kind == "w":
            expression += f"[^{JOINED}{PARTED}{END}]*"
        if index == len(units) - 1 and kind == "c":
            # To an emoji others may be joined.
            expression += f"({oracle.JOINER}[^{JOINED}{PARTED}{END}]*)?"
    if not units:
        return None
    return re.compile(expression + f"(?=[{JOINED}{PARTED}{END}])"), max(parts, key=len)


def holds(line, found):
    expression, part = found
    return part in line and expression.search(line) is not None


def find(messages, query):
    patterns = [(pattern(term), term["isExcluded"]) for term in query["terms"]]
    wanted = [found for found, excluded in patterns if found and not excluded]
    unwanted = [found for found, excluded in patterns if found and excluded]
    if not wanted:
        return None
    quantifier = any if query["isAny"] else all
    hits = []
    for message in messages.values():
        lines = message["lines"]
        if not quantifier(any(holds(line, found) for line in lines) for found in wanted):
            continue
        if any(holds(line, found) for line in lines for found in unwanted):
            continue
        if any(query[name + "s"] is not None and message[name] not in query[name + "s"]
               for name in ("conversation", "sender", "type")):  # fmt: skip
            continue
        if query["time"] is not None and not query["time"][0] <= message["time"] <= query["time"][1]:
            continue
        if query["mentions"] and not message["mentions"] or query["link"] and not LINK.search(message["text"]):
            continue
        is_text = any(holds(lines[0], found) for found in wanted)
        hits.append({"id": message["id"], "isFileName": not is_text})
    return sorted(hits, key=lambda hit: -hit["id"])


def answer():
    messages = {}
    for line in sys.stdin:
        request = json.loads(line)
        for message in request.get("set", []):
            message["lines"] = [folded(message["text"]), folded(message.get("fileName") or "")]
            messages[message["id"]] = message
        for number in request.get("drop", []):
            messages.pop(number, None)
        if "find" in request:
            print(json.dumps(find(messages, request["find"])), flush=True)


def print_texts(file, count):
    left = count
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            if left == 0:
                break
            event = json.loads(line)
            if event["type"] in ("message", "action", "notice") and event["text"] and event["from"]:
                print(json.dumps({name: event[name] for name in ("conv", "from", "text")}))
                left -= 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["texts"]:
        print_texts(sys.argv[2], int(sys.argv[3]))
    else:
        answer()
