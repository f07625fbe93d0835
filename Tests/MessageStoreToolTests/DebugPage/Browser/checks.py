"""Checks of the debug page, each by clicks and keys: checks.py CHROMIUM, and then a check and an address, as often as wanted."""

import base64
import json
import os
import sys
import urllib.parse

from browser import Browser

SHOWN = "Number(document.documentElement.dataset.shown)"


def expect(found, expected, what):
    assert found == expected, f"{what}: {found!r}, not {expected!r}"


def at(page, position):
    page.waiting(f"{SHOWN} === {position}")


def opened(page, address):
    page.open(address)
    page.waiting("document.documentElement.dataset.shown !== undefined")


def text(page, selector):
    return page.value(f"document.querySelector({selector!r}).innerText")


def stepping(page, address):
    """Keys and buttons step, and everything that is shown goes with the position."""
    opened(page, address)
    end = page.value("page.info.end")
    expect(page.value(SHOWN), end, "it opens at the end")
    before = page.value("page.panels.state.totals.badge")
    page.value("page.question = { at: page.info.end }")
    page.value("page.ask()")
    page.waiting("page.question.conversation === keyOf(page.panels.state.conversations[0])"
                 " && page.panels.state.timeline?.conversation === page.question.conversation")
    page.value("page.question = { follow: 1 }")
    page.value("page.go(page.info.end)")
    page.waiting("document.querySelector('#timeline').innerText.includes('the last words')")
    cut = page.value("[...document.querySelectorAll('input')].filter(e => e.checkVisibility() && e.placeholder).filter(e => {"
                     " const canvas = document.createElement('canvas').getContext('2d'); const style = getComputedStyle(e);"
                     " canvas.font = style.font; return canvas.measureText(e.placeholder).width > e.clientWidth"
                     " - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight); }).map(e => e.id)")
    expect(cut, [], "every placeholder is whole")
    assert page.value("/\\d\\d:\\d\\d/.test(document.querySelector('.conversation time').innerText)"), "the list shows times"
    assert "the last words" in text(page, "#timeline"), "the newest message is shown"
    expect(page.value("document.querySelectorAll('#timeline .changed').length"), 1, "the event's message is marked")
    assert "changed" in text(page, "#timeline .changed"), "in words, too"
    page.key("k")
    at(page, end - 1)
    expect(page.value("page.panels.state.totals.badge"), before - 1, "one message less is unread")
    assert "the last words" not in text(page, "#timeline")
    page.key("ArrowRight")
    at(page, end)
    page.click("#back")
    at(page, end - 1)
    page.click("#forward")
    at(page, end)
    page.key("Home")
    at(page, 0)
    expect(page.value("page.panels.state.conversations.length"), 0, "nothing was there before the first event")
    page.key("j")
    at(page, 1)
    page.key("PageDown")
    at(page, 21)
    page.key("Escape")
    page.key(" ")
    page.waiting(f"{SHOWN} > 24")
    page.key(" ")
    stopped = page.value("page.position")
    at(page, stopped)
    expect(page.value("byID('play').getAttribute('aria-pressed')"), "false", "it plays no more")
    page.key("End")
    at(page, end)
    page.key("?")
    expect(page.value("byID('help').open"), True, "the keys are told")
    page.key("Escape")
    page.waiting("!byID('help').open")


def filtering(page, address):
    """The list shows what was searched, and steps go along it."""
    opened(page, address)
    end = page.value("page.info.end")
    page.key("/")
    expect(page.value("document.activeElement.id"), "text", "the key goes to the search")
    page.type("LAST WORDS")
    page.waiting("page.selection.found !== null && page.selection.next === null")
    expect(page.value("byID('found').textContent"), "1 found", "the search")
    expect(page.value("document.querySelectorAll('.event').length"), 1, "one row")
    page.key("Escape")
    page.click("#filters button[type=reset]")
    page.waiting(f"page.selection.count === {end}")
    page.value("byID('type').value = 'ConversationRead'; byID('type').dispatchEvent(new Event('change', {bubbles: true}))")
    page.waiting("byID('found').textContent === '2 found'")
    reads = page.value("page.selection.found")
    page.value(f"page.go({reads[0] - 2})")
    at(page, reads[0] - 2)
    for key in ("k", "PageUp"):
        page.key(key)
        expect(page.value("page.position"), reads[0] - 2, f"before the first row {key} stays")
    page.key("j")
    at(page, reads[0])
    page.key("k")
    expect(page.value("page.position"), reads[0], "on the first row, too")
    page.key("End")
    at(page, end)
    page.key("k")
    at(page, reads[1])
    page.key("k")
    at(page, reads[0])
    page.key("j")
    at(page, reads[1])
    expect(page.value("byID('event').innerText.includes('ConversationRead')"), True, "the event is shown")
    page.click("#filters button[type=reset]")
    page.click("#in-conversation")
    page.type("group:friends")
    page.key("Enter")
    page.waiting("page.selection.next === null && page.selection.found !== null")
    expect(page.value("[...document.querySelectorAll('.event .in > *')].every(e => e.title === 'group:friends' && e.textContent === 'friends')"),
           True, "only its events, under its name")
    page.click("#filters button[type=reset]")
    page.key("End")
    at(page, end)
    page.click("#timeline .message:last-of-type button")
    page.waiting("page.selection.next === null && page.selection.found?.length === 1")


def jumping(page, address):
    """The slider, the field, a click on the chart and one on a row go to a position; marks compare two."""
    opened(page, address)
    end = page.value("page.info.end")
    page.click("#slider", 0.5)
    page.waiting(f"Math.abs({SHOWN} - {end} / 2) < {end} / 20")
    page.key("g")
    page.type("12")
    page.key("Enter")
    at(page, 12)
    page.key("g")
    page.type("7")
    page.key("Enter")
    at(page, 7)
    page.click("#moment")
    page.type("-1")
    page.key("Enter")
    at(page, end)
    page.key("g")
    page.type("next year")
    page.key("Enter")
    page.waiting("!byID('error').hidden")
    page.key("Escape")
    page.click("#chart", 0.25)
    page.waiting(f"Math.abs({SHOWN} - {end} / 4) < {end} / 20")
    expect(page.value("byID('error').hidden"), True, "what went wrong is forgotten")
    first = page.value("page.position")
    page.key("[")
    page.value("document.querySelectorAll('.event')[8].click()")
    page.waiting(f"{SHOWN} !== {first}")
    page.key("]")
    page.waiting("byID('mark-count').textContent.endsWith('rows')")
    assert page.value("document.querySelectorAll('#marked .change').length") > 0, "rows that changed between the marks"


def choosing(page, address):
    """A click or a key chooses a conversation, and it stays when the position moves."""
    opened(page, address)
    end = page.value("page.info.end")
    keys = page.value("[...document.querySelectorAll('.conversation')].map(e => e.dataset.key)")
    expect(len(keys), 6, "conversations")
    page.click(".conversation:nth-child(3)")
    page.waiting(f"page.panels.state.timeline.conversation === page.panels.state.conversations.map(keyOf)[2]")
    expect(page.value("byID('follow').getAttribute('aria-pressed')"), "false", "it follows no more")
    expect(page.value("document.querySelector('.conversation[aria-selected=true]').dataset.key"), keys[2], "it is marked")
    page.key("n")
    page.waiting("page.panels.state.timeline.conversation === page.panels.state.conversations.map(keyOf)[3]")
    page.key("k")
    at(page, end - 1)
    expect(page.value("page.panels.state.timeline.conversation"), keys[3], "it stays")
    page.key("f")
    page.waiting("page.panels.state.timeline.conversation !== " + repr(keys[3]))


def looking(page, address):
    """What a row, a timeline and an explanation look like, at the positions of TeamStore's steps."""
    address, _, steps = address.partition("#")
    steps = json.loads(base64.b64decode(steps))
    page.size(1280, 800)
    opened(page, address)

    def step(name):
        page.value(f"page.go({steps[name]})")
        at(page, steps[name])
        page.draw()

    row = "document.querySelector('.event[aria-selected=true]')"
    step("m2")
    page.waiting(f"{row}?.innerText.includes('Lin Wei')")
    words = page.value(row + ".innerText")
    assert "The team" in words and "message 2" in words and "u-17" not in words and "group:" not in words, words
    recorded = page.value(f"instant(page.list.kept.get({steps['m2']}).recordedTime).join(' ')")
    assert recorded in words and len(recorded) == 23, f"{recorded} is in {words}"
    assert "UTC" in text(page, "#log-title") and "UTC" in text(page, "#where")
    expect(text(page, "#chat-title"), "The team", "the title is the conversation's name")
    assert "Lin Wei" in text(page, "#event") and "u-17" in text(page, "#event"), "the panel has name and id"
    expect(text(page, "#timeline .outgoing .text"), "first\n  second\n\nfourth", "line breaks are breaks")
    assert ".439" in text(page, "#timeline .outgoing time"), "times have their milliseconds"

    step("lin")
    marks = page.value("[...document.querySelectorAll('#timeline .marker')].map(e => [e.className, e.innerText])")
    gaps = [words for name, words in marks if "gap" in name]
    expect(len(gaps), 1, "spans that are missing")
    order = page.value("[...document.querySelectorAll('#timeline > li')].map(e => e.dataset.message ?? e.className)")
    hole = next(index for index, name in enumerate(order) if "gap" in name)
    expect([order[hole - 1], order[hole + 1]], [str(steps["m3"]), str(steps["m4"])], "the span lies between its messages")
    readers = [(name, words) for name, words in marks if "reader" in name]
    assert [words.split(" read")[0] for _, words in readers] == ["Ann", "Lin Wei"], readers
    assert "changed" in readers[1][0] and "changed" not in readers[0][0], "the mark that moved is marked"
    assert "23 days after the last message" in readers[1][1], readers
    ann = next(index for index, name in enumerate(order) if "reader" in name)
    expect([order[ann - 1], order[ann + 1]], [str(steps["m2"]), str(steps["m3"])], "a mark lies where its time is")

    step("edit")
    expect(page.value("document.querySelector('#timeline .changed').dataset.message"), str(steps["m20"]), "the edited message")
    place = page.value("(() => { const [box, row] = [byID('timeline'), document.querySelector('#timeline .changed')]"
                       ".map(e => e.getBoundingClientRect()); return (row.top + row.height / 2 - box.top) / box.height; })()")
    assert 0.35 < place < 0.65, f"the message that changed is in the middle, not at {place}"
    hidden = page.value("[...document.querySelectorAll('#changes .internals .change b')].map(e => e.textContent)")
    shown = page.value("[...document.querySelectorAll('#changes > .change')].map(e => e.innerText)")
    assert shown and not any("position" in words or "identit" in words for words in shown), shown
    assert hidden and page.value("!document.querySelector('#changes .internals').open"), "internals are folded away"

    page.key("3")
    page.waiting("document.querySelectorAll('#why .step').length > 0")
    assert "message" in text(page, "#why h3") and "m20" in text(page, "#why h3"), text(page, "#why h3")
    step("muted")
    page.waiting("document.querySelector('#why h3').innerText.includes('conversation The team')")
    assert f"{steps['muted']}" in text(page, "#why h3").replace(",", ""), "it follows the position"
    step("names")
    page.waiting("document.querySelector('#why h3').innerText.includes('profile')")
    page.value("byID('why-kind').value = 'badge'; byID('why-kind').dispatchEvent(new Event('change'))")
    page.waiting("document.querySelector('#why h3').innerText.includes('badge')")
    step("m5")
    page.waiting(f"document.querySelector('#why h3').innerText.includes('At {steps['m5']}: badge')")
    long = "turned('2026-11-15 15:07:14.104 56f067f20ac0de6626ff6bd3', '2026-12-08 21:01:43.729 56f067f20ac0de6626ff6bd3')"
    expect(page.value(f"(() => {{ const node = {long}; byID('why').append(node); const [one, other] = [...node.children]"
                      ".map(e => e.getBoundingClientRect()); return [one.bottom <= other.top, node.scrollWidth <= node.clientWidth]; })()"),
           [True, True], "a long value and the one after it are one under the other")
    page.key("1")
    breaks = page.value("[...document.querySelectorAll('.moment')].filter(e => e.checkVisibility()"
                        " && new Set([...e.getClientRects()].map(r => r.top)).size > 1).length")
    expect(breaks, 0, "no time is on two lines")

    step("m30")
    page.key("/")
    page.value("(() => { const own = page.source.search; page.asked = []; page.source.search = (filter, from, to, ...rest) => {"
               " page.asked.push([from, to]); return own.call(page.source, filter, from, to, ...rest); }; })()")
    page.type("WORDS TO")
    page.waiting("page.selection.found?.length === 39 && page.selection.next === null")
    expect(page.value("page.asked"), [[steps["m30"], page.value("page.info.end")], [1, steps["m30"] - 1]], "from the position on")
    expect(page.value("page.selection.found.every((p, i, all) => !i || all[i - 1] < p)"), True, "in the log's order")
    page.waiting("[...document.querySelectorAll('.event')].every(e => e.querySelector('mark')?.textContent === 'words to')")
    assert page.value("byID('cancel').hidden"), "there is nothing to cancel"
    page.key("Escape")
    step("other")
    expect(text(page, "#chat-title"), "others", "the event's own conversation")
    page.click(".conversation:last-child")
    page.waiting("page.panels.state.timeline.conversation === 'group:56d6/\\\\#88bc' && page.panels.state.timeline.messages.length > 0")


def around(page, address):
    """A message that an event changed is in the middle, though it is none of the newest."""
    address, _, steps = address.partition("#")
    steps = json.loads(base64.b64decode(steps))
    page.size(1280, 800)
    opened(page, address)
    last = "[...document.querySelectorAll('#timeline .message')].pop().innerText"

    def step(name):
        page.value(f"page.go({steps[name]})")
        at(page, steps[name])
        page.draw()

    for name, words in (("edited", "others"), ("late", "late")):
        step(name)
        changed = "document.querySelectorAll('#timeline .message.changed')"
        expect(page.value(f"{changed}.length"), 1, f"{name}: one message is marked")
        assert words in page.value(f"{changed}[0].innerText"), name
        place = page.value(f"(() => {{ const [box, row] = [byID('timeline'), {changed}[0]].map(e => e.getBoundingClientRect());"
                           " return (row.top + row.height / 2 - box.top) / box.height; })()")
        assert 0.35 < place < 0.65, f"{name}: the message is in the middle, not at {place}"
        for side in ("previous", "next"):
            assert page.value(f"{changed}[0].{side}ElementSibling.classList.contains('message')"), f"{name}: {side} message"
        assert "message 200" not in page.value(last), f"{name}: the newest is elsewhere"
    page.value("[...document.querySelectorAll('#chat-pager button')].find(e => e.textContent === 'Newest').click()")
    page.waiting(f"{last}.includes('message 200')")
    expect(page.value("document.querySelectorAll('#timeline .message.changed').length"), 0, "the newest did not change")
    step("edited")
    assert "message 200" not in page.value(last), "another event shows what it changed"
    step("muted")
    assert "message 200" in page.value(last), "an event that changed no message shows the newest"
    page.waiting("(() => { const e = byID('timeline'); return e.scrollTop + e.clientHeight >= e.scrollHeight - 2; })()")


def explaining(page, address):
    """Why the badge is what it is, and from there to an event that made it so."""
    opened(page, address)
    page.click("#totals .why")
    page.waiting("document.querySelectorAll('#why .step').length > 0")
    assert "badge" in text(page, "#why")
    assert page.value("document.querySelector('#why .fields button').innerText.length > 0"), "a value names its event"
    page.click("#suspects")
    page.waiting("document.querySelector('#why').innerText.includes('without it')")
    page.click("#why-form button")
    page.waiting("document.querySelector('#why .fields') !== null")
    page.click("#why .step:nth-of-type(3) button")
    page.waiting(f"{SHOWN} < page.info.end")
    page.key("1")
    expect(page.value("byID('panel-why').hidden"), True, "another tab is open")


def sizes(page, address):
    """The bytes by conversation, month and content type add up, in bars as long as their share."""
    opened(page, address)
    page.key("b")
    page.waiting("byID('sizes').open && byID('sizes-bars').children.length > 0")
    expect(page.value("byID('sizes-text').innerText.includes('in the store')"), True, "the sum is there")
    sums = page.value("['conversation', 'month', 'type'].map((by) => page.sizes.sizes[by].reduce((all, row) => all + row.bytes, 0))")
    expect(len(set(sums)), 1, "each property has all bytes")
    for by in ("month", "type", "conversation"):
        page.value(f"byID('sizes-by').value = {by!r}; byID('sizes-by').dispatchEvent(new Event('change'))")
        wide = page.value("[...document.querySelectorAll('.bar-of-bytes')].map((bar) => [...bar.children].reduce((all, part) => all"
                          " + part.getBoundingClientRect().width, 0) / bar.getBoundingClientRect().width)")
        rows = page.value(f"page.sizes.sizes[{by!r}].map((row) => row.bytes + row.fileBytes)")
        expect(len(wide), len(rows), by)
        for share, bytes in zip(wide, rows):
            assert abs(share - bytes / max(rows)) < 0.02, f"{by}: {share} for {bytes} of {max(rows)}"
    page.key("j")
    expect(page.value("page.position"), page.value("page.info.end"), "no key steps behind it")
    page.click("#sizes button")
    expect(page.value("byID('sizes').open"), False, "it closes")


def hostile(page, address):
    """Nothing that was written runs, is markup, or turns other text around."""
    opened(page, address)
    for key in ["k"] * 30:
        page.key(key)
    page.value("new Promise(done => setTimeout(done, 500))")
    page.waiting(f"{SHOWN} === page.position")
    expect(page.value("window.hacked"), None, "no text was run")
    expect(page.value("document.querySelectorAll('#pwned').length"), 0, "no text is markup")
    expect(page.value("document.querySelectorAll('main script, main img, main b b, main i i, main a').length"), 0, "no markup")
    body = page.value("document.body.textContent")
    for character in "\u202e\u0000\u001b\u2028\u200b\ufeff\u0007":
        assert character not in body.replace("\u0000", "" if character != "\u0000" else "\u0000"), f"{character!r} is in the page"
    assert "\\u{202E}evil" in body and "<b>bold</b>" in body and "<script>window.hacked=1</script>" in body
    expect(page.value("[...document.querySelectorAll('.message .text')].every(e => e.dir === 'auto' && e.tagName === 'BDI')"),
           True, "texts keep their direction to themselves")
    expect(page.value("shown('\\u{1F468}\\u200D\\u{1F469} ❤\\uFE0F a\\u200Db \\t\\n\\u2800 e' + '\\u0301'.repeat(9))"),
           "\U0001F468\u200D\U0001F469 ❤\uFE0F a\\u{200D}b  \\n\\u{2800} e" + "\u0301" * 8, "as the tool escapes")


def colours(page, address):
    """Light and dark, as the system has it and by a key."""
    opened(page, address)
    ground = "getComputedStyle(document.querySelector('section')).backgroundColor"
    light = "rgb(255, 255, 255)"
    page.colours("light")
    expect(page.value(ground), light, "light")
    page.colours("dark")
    assert page.value(ground) != light, "dark"
    page.key("t")
    expect(page.value(ground), light, "light by the key")
    for width in (1440, 800, 400):
        page.size(width, 900)
        expect(page.value("document.documentElement.scrollWidth <= innerWidth"), True, f"{width} wide, nothing is cut off")


def scrolling(page, address):
    """A long log: few rows in the document, and no task of the page takes long while one scrolls."""
    page.open(address)
    page.waiting("window.page !== undefined && document.querySelectorAll('.event').length > 0")
    count = page.value("page.info.end")
    assert count >= 10_000, count
    page.waiting("document.documentElement.dataset.shown !== undefined")
    page.key("Home")
    at(page, 0)
    rows = 0
    page.begin_trace()
    for number in range(120):
        page.wheel("#events", 1500 if number % 4 else -900)
        rows = max(rows, page.value("document.querySelectorAll('.event, .conversation, .message, .change').length"))
    page.value("(async () => { for (let n = 0; n < 60; n += 1) { const e = byID('events'); e.scrollTop = (n * 7919 % 60) / 60 "
               "* e.scrollHeight; await new Promise(requestAnimationFrame); } })()")
    rows = max(rows, page.value("document.querySelectorAll('.event, .conversation, .message, .change').length"))
    page.waiting("[...document.querySelectorAll('.event')].every(e => e.event)")
    tasks = page.end_trace()
    assert len(tasks) > 100, f"{len(tasks)} tasks are in the trace"
    expect([time for time in tasks if time > 50], [], "tasks over 50 ms")
    assert rows <= 300, f"{rows} rows are in the document"
    # The page itself cancels the search once a part of the log was searched, as however long that is shown.
    page.value("new MutationObserver((_, observer) => { if (byID('cancel').hidden || !byID('found').textContent.includes('searched')) "
               "return; observer.disconnect(); byID('cancel').click(); window.left = [page.selection.next, byID('cancel').hidden, "
               "byID('found').textContent]; }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true})")
    page.key("/")
    page.type("nothing is like this")
    expect(page.waiting("window.left"),
           [None, True, "0 found, search cancelled"], "a search is cancelled")
    page.value("byID('filters').reset()")
    page.waiting(f"page.selection.count === {count}")
    page.value("byID('events').scrollTop = byID('events').scrollHeight")
    page.waiting(f"[...document.querySelectorAll('.event')].some(e => Number(e.dataset.position) === {count})")


def written(page, address):
    """The page in a file: the same, without what only the server can tell."""
    opened(page, address)
    first, end = page.value("page.info.first"), page.value("page.info.end")
    expect(page.value(SHOWN), end, "it opens at the end")
    states = {}
    # A plain run looks at one of four.
    step = 1 if os.environ.get("MESSAGESTORE_TESTS") == "full" else 4
    for position in sorted({first, (first + end) // 2, *range(end, first, -step)}, reverse=True):
        page.value(f"page.go({position})")
        at(page, position)
        states[position] = page.value("JSON.stringify(page.panels.state)")
    for position in (first, (first + end) // 2, end):
        page.value(f"page.go({position})")
        at(page, position)
        expect(page.value("JSON.stringify(page.panels.state)"), states[position], f"back and forth at {position}")
    page.key("/")
    page.type("MessageReceived")
    page.waiting("byID('found').textContent.endsWith('found')")
    assert page.value("page.selection.count") > 0
    page.key("Escape")
    page.click("#filters button[type=reset]")
    page.value(f"page.go({first + 3})")
    at(page, first + 3)
    page.key("[")
    page.key("End")
    at(page, end)
    page.key("]")
    page.waiting("byID('mark-count').textContent.endsWith('rows')")
    page.time_zone("America/New_York")
    times = page.value("page.source.rows.map((row) => row.recordedTime)")
    moment = page.value(f"moment({times[50]})")
    expected = first - 1 + len([time for time in times if time <= times[50]])
    for text in (moment, moment.replace(" ", "T"), moment + "Z", moment + "+00:00", moment.replace(" ", "T") + "Z"):
        expect(page.value(f"page.source.position({text!r})"), expected, f"a time without a zone is UTC: {text}")
    expect(page.value(f"page.source.position({moment[:10]!r}).catch(() => null)"),
           page.value(f"page.source.position({moment[:10] + 'T00:00Z'!r}).catch(() => null)"), "a date is its first moment")
    expect(page.value("[...document.querySelectorAll('.why, #tab-why, #of-message, #search-in')].some(e => e.checkVisibility())"), False,
           "what only the server tells is not there")
    expect(page.value("window.hacked"), None, "no text was run")
    expect(page.value("document.querySelectorAll('#pwned').length"), 0, "no text is markup")


ROWS = """
page.source.differences(%d, %d).map((row) => [row.projection, row.table,
  ...(row.keyParts ?? []).map((part) => `${part.name}=${part.value}`),
  row.isNew ? "new" : row.isGone ? "gone" : "changed",
  ...(row.parts ?? []).filter((part) => part.before !== part.after)
    .map((part) => `${part.name}: ${part.before ?? "-"} -> ${part.after ?? "-"}`).sort()].join(" | ")).sort()
"""


def marking(page, address):
    """What differs between two positions, put together from the steps of a file."""
    opened(page, address)
    with open(urllib.parse.unquote(urllib.parse.urlparse(address).path) + ".json") as file:
        pairs = json.load(file)
    for pair in pairs:
        words = f"from {pair['from']} to {pair['to']}"
        found = page.value(ROWS % (pair["from"], pair["to"]))
        expect([row for row in found if row not in pair["rows"]], [], f"{words}, too much")
        expect([row for row in pair["rows"] if row not in found], [], f"{words}, missing")
        told = page.value(f"page.source.changes({pair['from']}, {pair['to']})")
        expect(told["count"], len(pair["rows"]), f"{words}, the count")
        expect(len(told["changes"]), min(60, told["count"]), f"{words}, what is shown")
    step = page.value("page.source.state({ at: page.info.end, follow: 1 })")["changes"]
    expect([len(step["changes"]), step["count"] > 60], [60, True], "of one event, too")
    flags = "[...changeNode(%s).querySelectorAll('.flag')].map((flag) => flag.textContent)"
    row = '{ table: "t", key: "0", parts: [{ name: "a", %s: "1" }]%s }'
    for side, more, expected in (("after", "", []), ("before", "", []), ("after", ", isNew: true", ["new"]),
                                 ("before", ", isGone: true", ["gone"])):
        expect(page.value(flags % (row % (side, more))), expected, f"a part with nothing but {side}{more}")


def main(chromium, *words):
    with Browser(chromium) as page:
        for check, address in zip(words[::2], words[1::2]):
            # A page of its own, also where only what follows # in the address differs.
            page.open("about:blank")
            page.problems = []
            try:
                globals()[check](page, address)
            except Exception as error:
                state = "[document.documentElement.dataset.shown, window.page?.position, byID('error').textContent].join(' | ')"
                raise AssertionError(f"{check}: {error}; shown | position | error: {page.value(state)}; {page.problems}") from error
            # A failed search or jump is an answer with an error's number, which the browser notes as well.
            problems = [problem for problem in page.problems if "status of 400" not in problem]
            assert not problems, "\n".join([check + ":"] + problems)


if __name__ == "__main__":
    main(*sys.argv[1:])
