"""Folds texts by the rules of Docs/Search.md, with Python's own data of Unicode and none of the library's tables.

oracle.py scalars   prints the version of Unicode, and the scalars that it has, as ranges of hexadecimal numbers
oracle.py fold      reads texts as lines of hexadecimal bytes; answers each with a line of its units, such as
                    "w0:6f6b:7-9": the kind, whether it is joined, the folded bytes and the source
"""

import functools
import sys
import unicodedata

WIDTHS = ("<wide>", "<narrow>")
SEPARATOR, IGNORABLE, WORD, CHARACTER = range(4)


def ranges(text):
    """The numbers of a list such as "A9 203C 2194-2199"."""
    numbers = set()
    for part in text.split():
        first, _, last = part.partition("-")
        numbers.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(numbers)


# From emoji-data.txt: Emoji=Yes without ASCII and tones of skin, and what later versions added in 1F6D0 and 1FA70.
EMOJI = ranges(
    """A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6 25C0
    25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F 2638-263A 2640 2642 2648-2653
    265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 26AA-26AB 26B0-26B1 26BD-26BE
    26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD 2702 2705 2708-270D 270F 2712 2714 2716
    271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2764 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07
    2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F004 1F0CF 1F170-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1E6-1F1FF
    1F201-1F202 1F21A 1F22F 1F232-1F23A 1F250-1F251 1F300-1F321 1F324-1F393 1F396-1F397 1F399-1F39B 1F39E-1F3F0
    1F3F3-1F3F5 1F3F7-1F3FA 1F400-1F4FD 1F4FF-1F53D 1F549-1F54E 1F550-1F567 1F56F-1F570 1F573-1F57A 1F587 1F58A-1F58D
    1F590 1F595-1F596 1F5A4-1F5A5 1F5A8 1F5B1-1F5B2 1F5BC 1F5C2-1F5C4 1F5D1-1F5D3 1F5DC-1F5DE 1F5E1 1F5E3 1F5E8 1F5EF
    1F5F3 1F5FA-1F64F 1F680-1F6C5 1F6CB-1F6D2 1F6D5-1F6D8 1F6DC-1F6E5 1F6E9 1F6EB-1F6EC 1F6F0 1F6F3-1F6FC 1F7E0-1F7EB
    1F7F0 1F90C-1F93A 1F93C-1F945 1F947-1F9FF 1FA70-1FAFF"""
)

FLAG_HALVES = ranges("1F1E6-1F1FF")
PICTOGRAPHS = EMOJI - FLAG_HALVES
TAGS = ranges("E0020-E007F")
JOINER = "\u200d"

MARKS_OF_LATIN_GREEK_CYRILLIC = ranges("300-36F 483-489 1AB0-1AFF 1DC0-1DFF 20D0-20FF FE20-FE2F")
JOINERS = ranges("200D 200C 2060 FEFF AD 640")
DIRECTIONS = ranges("61C 200E 200F 202A-202E 2066-2069")
VARIATIONS = ranges("FE00-FE0F E0100-E01EF 180B-180D 180F 1F3FB-1F3FF E0020-E007F")

# How the names of characters begin, in the scripts whose letters and marks are units.
CHARACTER_NAMES = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI RADICAL", "HANGZHOU NUMERAL",
    "IDEOGRAPHIC", "VERTICAL IDEOGRAPHIC", "MASU MARK",
    "HIRAGANA", "KATAKANA", "HENTAIGANA", "VERTICAL KANA", "COMBINING KATAKANA-HIRAGANA", "KATAKANA-HIRAGANA",
    "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR",
)  # fmt: skip


def is_ignorable(char):
    scalar = ord(char)
    if scalar in MARKS_OF_LATIN_GREEK_CYRILLIC or scalar in JOINERS:
        return True
    if scalar in DIRECTIONS or scalar in VARIATIONS:
        return True
    return unicodedata.category(char) == "Mn" and unicodedata.name(char, "").startswith(("HEBREW ", "ARABIC "))


@functools.lru_cache(None)
def class_of(char):
    """The class of a scalar that is already folded."""
    if is_ignorable(char):
        return IGNORABLE
    if ord(char) in EMOJI:
        return CHARACTER
    category = unicodedata.category(char)
    name = unicodedata.name(char, "")
    if name.startswith(CHARACTER_NAMES):
        if category[0] in "LM" or category == "Nl" or " RADICAL " in name:
            return CHARACTER
    return WORD if category[0] in "LMN" else SEPARATOR


def decompose(text):
    result = ""
    for char in text:
        parts = unicodedata.decomposition(char).split()
        if parts and (parts[0] in WIDTHS or 0xFB00 <= ord(char) <= 0xFB06):
            result += decompose("".join(chr(int(part, 16)) for part in parts[1:]))
        else:
            normal = unicodedata.normalize("NFD", char)
            result += normal if normal == char else decompose(normal)
    return result


@functools.lru_cache(None)
def fold(char):
    if ord(char) in EMOJI:
        return ((char, CHARACTER),)
    folded = decompose(decompose(char).casefold())
    return tuple((part, class_of(part)) for part in folded)


def scalars(text):
    """The scalars of UTF-8, each with its range; None for each byte that is not valid."""
    index = 0
    while index < len(text):
        for length in range(1, 5):
            try:
                char = text[index : index + length].decode("utf-8", "strict")
            except UnicodeDecodeError:
                continue
            if len(char) == 1:
                break
        else:
            char, length = None, 1
        yield char, index, index + length
        index += length


def is_second_part(char):
    return char in "\u3099\u309a" or "\u1161" <= char <= "\u1175" or "\u11a8" <= char <= "\u11c2"


def keycap_end(chars, index):
    """The index of the last scalar of the keycap that begins with a scalar; None where none does."""
    if chars[index][0] not in ("#", "*"):
        return None
    for rest in ("\ufe0f\u20e3", "\u20e3"):
        if [char for char, _, _ in chars[index + 1 : index + 1 + len(rest)]] == list(rest):
            return index + len(rest)
    return None


def goes_on(last, part):
    """Whether a scalar is one emoji with the character before it."""
    if last["next"] == "half" and ord(part) in FLAG_HALVES:
        return True
    if last["next"] == "joined" and ord(part) in PICTOGRAPHS:
        last["text"] += JOINER
        return True
    return False


def units(text):
    found = []
    is_separated = True
    chars = list(scalars(text))
    skip_to = -1
    for index, (char, start, end) in enumerate(chars):
        if index <= skip_to:
            continue
        cap = keycap_end(chars, index)
        if cap is not None:
            unit = {"kind": CHARACTER, "joined": not is_separated, "text": char + "\u20e3", "start": start}
            found.append({**unit, "end": chars[cap][2], "scalar": char, "next": None})
            is_separated = False
            skip_to = cap
            continue
        for part, kind in fold(char) if char is not None else (("", SEPARATOR),):
            last = None if is_separated else found[-1]
            if kind == SEPARATOR:
                is_separated = True
                continue
            if kind == IGNORABLE:
                if last:
                    last["end"] = end
                    last["next"] = None
                    if last["kind"] == CHARACTER and ord(last["scalar"]) in PICTOGRAPHS:
                        last["next"] = "joined" if part == JOINER else None
                        last["text"] += part if ord(part) in TAGS else ""
                continue
            is_separated = False
            if last and last["kind"] == kind == WORD:
                last["text"] += part
                last["end"] = end
                continue
            if last and last["kind"] == kind == CHARACTER and is_second_part(part):
                composed = unicodedata.normalize("NFC", last["text"] + part)
                if len(composed) == 1:
                    last["text"] = last["scalar"] = composed
                    last["end"] = end
                    continue
            if last and last["kind"] == kind == CHARACTER and goes_on(last, part):
                last.update(text=last["text"] + part, end=end, scalar=part, next=None)
                continue
            unit = {"kind": kind, "joined": last is not None, "text": part, "start": start, "end": end}
            found.append({**unit, "scalar": part, "next": "half" if ord(part) in FLAG_HALVES else None})
    return found


def line(unit):
    folded = unit["text"].encode().hex()
    return f"{'w' if unit['kind'] == WORD else 'c'}{unit['joined']:d}:{folded}:{unit['start']}-{unit['end']}"


def print_scalars():
    print(unicodedata.unidata_version)
    first = None
    for scalar in range(0x110001):
        # Private use beyond the basic plane is too much to try.
        is_known = scalar < 0xF0000 and unicodedata.category(chr(scalar)) not in ("Cn", "Cs")
        if is_known and first is None:
            first = scalar
        if not is_known and first is not None:
            print(f"{first:x}-{scalar - 1:x}")
            first = None


if __name__ == "__main__":
    if sys.argv[1:] == ["scalars"]:
        print_scalars()
    else:
        for text in sys.stdin:
            sys.stdout.write(" ".join(map(line, units(bytes.fromhex(text)))) + "\n")
