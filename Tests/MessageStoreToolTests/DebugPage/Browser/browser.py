"""A headless Chromium that is driven over the DevTools protocol, with nothing but the standard library."""

import base64
import json
import os
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

# How long a page may need, in seconds: other work may keep the machine busy.
PATIENCE = 240


class WebSocket:
    """The client's side of a connection of text frames."""

    def __init__(self, url):
        host, _, path = url.removeprefix("ws://").partition("/")
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        assert b"101" in self.file.readline(), "the browser refused the connection"
        while self.file.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x81, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
        self.socket.sendall(head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, second = self.file.read(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack("!H", self.file.read(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self.file.read(8))[0]
            data = self.file.read(size)
            if first & 0x0F in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()


class Browser:
    """One page of one browser; use it as a context."""

    def __init__(self, executable, width=1440, height=900):
        self.folder = tempfile.TemporaryDirectory(prefix="messagestore-browser-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={self.folder.name}",
             f"--window-size={width},{height}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.waiting(self.port)
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=PATIENCE))
        self.connection = WebSocket(next(page for page in pages if page["type"] == "page")["webSocketDebuggerUrl"])
        self.number = 0
        self.problems = []
        self.requests = set()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.size(width, height)

    def port(self):
        path = os.path.join(self.folder.name, "DevToolsActivePort")
        if self.process.poll() is not None:
            raise RuntimeError("the browser ended")
        if os.path.exists(path):
            lines = open(path).read().split()
            return lines[0] if len(lines) > 1 else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def ask(self, method, **parameters):
        self.number += 1
        self.connection.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.connection.receive())
            self.note(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def note(self, event):
        """Keeps what the page threw, what its policy refused, and the dialogs that it opened."""
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(parameters["exceptionDetails"])[:600])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.add(parameters["requestId"])
        elif method in ("Network.loadingFinished", "Network.loadingFailed"):
            self.requests.discard(parameters["requestId"])
        elif method == "Tracing.dataCollected":
            self.trace += parameters["value"]
        elif method == "Tracing.tracingComplete":
            self.isTraced = True
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("a dialog: " + parameters["message"])

    def open(self, address):
        self.ask("Page.navigate", url=address)
        self.waiting("document.readyState === 'complete' && document.documentElement !== null")

    def size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def time_zone(self, name):
        self.ask("Emulation.setTimezoneOverride", timezoneId=name)

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def waiting(self, condition):
        """The first value of a condition that is true; a text is an expression in the page, which then has drawn what is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = self.value(condition) if isinstance(condition, str) else condition()
            if value:
                if isinstance(condition, str):
                    self.draw()
                return value
            time.sleep(0.02)
        raise AssertionError(f"not within {PATIENCE} s: {condition}")

    def draw(self):
        """Waits until the page has drawn what it had put off to its next frame."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    KEYS = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Escape": 27,
            "Enter": 13, "PageDown": 34, "PageUp": 33, "Tab": 9}

    def key(self, name):
        text = name if len(name) == 1 else "\r" if name == "Enter" else ""
        code = self.KEYS.get(name, ord(name.upper()) if len(name) == 1 else 0)
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=name, text=text, windowsVirtualKeyCode=code)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def box(self, selector):
        """The left and upper edge, the width and the height of an element that is in sight."""
        return self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'nearest'}});"
            " const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")

    def resting(self, selector):
        """The box of an element, once nothing is loaded any more that could move it."""
        end = time.monotonic() + PATIENCE
        box, before = self.box(selector), None
        while box != before or self.requests:
            assert time.monotonic() < end, f"{selector} does not rest within {PATIENCE} s: {self.requests}"
            time.sleep(0.05)
            self.draw()
            before, box = box, self.box(selector)
        return box

    def click(self, selector, share=0.5):
        """Clicks into an element, at a share of its width."""
        box = self.resting(selector)
        x, y = box[0] + box[2] * share, box[1] + box[3] / 2
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def wheel(self, selector, pixels):
        box = self.value(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [b.left + b.width / 2, b.top + b.height / 2]; })()")
        self.ask("Input.dispatchMouseEvent", type="mouseWheel", x=box[0], y=box[1], deltaX=0, deltaY=pixels)

    def begin_trace(self):
        self.trace, self.isTraced = [], False
        self.ask("Tracing.start", traceConfig={"includedCategories": ["toplevel", "__metadata"]}, transferMode="ReportEvents")

    def end_trace(self):
        """The processor's time of each task of the pages' main threads, in milliseconds: other processes do not add to it."""
        self.ask("Tracing.end")
        while not self.isTraced:
            self.note(json.loads(self.connection.receive()))
        main = {(event["pid"], event["tid"]) for event in self.trace
                if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"}
        return [event["tdur"] / 1000 for event in self.trace
                if event["name"].endswith("RunTask") and "tdur" in event and (event["pid"], event["tid"]) in main]

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
