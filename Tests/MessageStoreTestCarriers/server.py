"""A small service like S3, for tests and measurements: Python 3.8 or later, its standard library alone.

    python3 server.py DIRECTORY [arguments]

It listens on 127.0.0.1 and prints the port as the first line. It keeps each object as one file in DIRECTORY, which it
creates; a file is written elsewhere, synchronized and then linked or renamed to its name, so that acknowledged objects
survive `kill -9` and no object is ever half there. Only one server may use a directory at a time: names are read once,
at the start. It ends when its standard input does, if that is a pipe.

It knows one bucket and one secret, verifies the signature of every request (AWS signature version 4, header form), and
understands PUT (with `If-None-Match: *`), GET, HEAD and DELETE of objects, and ListObjectsV2 with `prefix`, `max-keys`,
`start-after`, `continuation-token` and `encoding-type=url`.

    --port N             the port; 0, the default, is a free one
    --bucket NAME        "bucket"
    --region NAME        "us-east-1"
    --access-key TEXT    "access"
    --secret-key TEXT    "secret"
    --session-token TEXT required of every request if it is not empty
    --no-sync            writes without fsync, for measurements
    --fill N             puts N empty objects first, not synchronized, under `many/` and eight digits
    --certificate FILE   serves HTTPS with the certificate and the key in this file, in PEM
    --log FILE           appends a line for each request: method, path, status

Faults, each 0 or off at the start unless given here. N counts requests of objects and lists, which have one counter for
each fault; 1 is every one.

    --lost-ack N         of each N puts, executes the last one and closes the connection without an answer
    --fail N             of each N requests, answers the last one with 500 InternalError, not executed
    --conflict N         of each N puts with a condition, answers the last one with 409, not executed
    --truncate N         of each N reads and lists, closes the connection after half of the body
    --shorten N          of each N reads, answers the last one with half of the body, without a length
    --garbage N          of each N lists, answers the last one with 200 and a page in HTML
    --delay SECONDS      waits so long before each answer
    --ignore-condition   replaces objects in spite of `If-None-Match`
    --page N             lists at most N keys at a time; 1,000 at the start

While it runs, `POST /_faults?fail=3&delay=0.2` changes faults (1 and 0 for --ignore-condition, `lost-ack` and so on as
above, resets their counters), and `GET /_faults` answers with the numbers of requests in JSON. Neither is signed.
"""

import argparse
import base64
import bisect
import datetime
import hashlib
import hmac
import json
import os
import re
import socket
import ssl
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

FAULTS = {
    "lost-ack": int, "fail": int, "conflict": int, "truncate": int, "shorten": int, "garbage": int,
    "delay": float, "ignore-condition": int, "page": int,
}
UNSIGNED = "UNSIGNED-PAYLOAD"


class Refusal(Exception):
    def __init__(self, status, code):
        super().__init__(code)
        self.status, self.code = status, code


class Directory:
    """Objects as files. Names of files are keys in Base32, in parts of at most 200 characters."""

    def __init__(self, path, sync):
        self.path, self.sync = os.path.abspath(path), sync
        self.objects, self.scratch = os.path.join(self.path, "objects"), os.path.join(self.path, "scratch")
        os.makedirs(self.objects, exist_ok=True)
        os.makedirs(self.scratch, exist_ok=True)
        for name in os.listdir(self.scratch):
            os.unlink(os.path.join(self.scratch, name))
        self.fsync_directory(self.path)
        self.lock, self.count = threading.Lock(), 0
        found = []
        for directory, _, names in os.walk(self.objects):
            for name in names:
                parts = os.path.relpath(os.path.join(directory, name), self.objects).split(os.sep)
                text = "".join(part[:-2] for part in parts)
                found.append(base64.b32decode(text + "=" * (-len(text) % 8)))
        self.keys = sorted(found)

    def fsync_directory(self, path):
        if self.sync:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def file(self, key):
        text = base64.b32encode(key).decode().rstrip("=")
        parts = [text[start:start + 200] for start in range(0, len(text), 200)]
        return os.path.join(self.objects, *[part + ".d" for part in parts[:-1]], parts[-1] + ".o")

    def put(self, key, body, only_if_absent):
        """Whether the object was put."""
        file = self.file(key)
        if only_if_absent and os.path.exists(file):
            return False
        with self.lock:
            self.count += 1
            scratch = os.path.join(self.scratch, str(self.count))
        with open(scratch, "wb") as output:
            output.write(body)
            output.flush()
            if self.sync:
                os.fsync(output.fileno())
        directory = os.path.dirname(file)
        if directory != self.objects:
            os.makedirs(directory, exist_ok=True)
            while directory != self.objects:
                directory = os.path.dirname(directory)
                self.fsync_directory(directory)
        with self.lock:
            if only_if_absent:
                try:
                    os.link(scratch, file)
                except FileExistsError:
                    return False
                finally:
                    os.unlink(scratch)
            else:
                os.rename(scratch, file)
            place = bisect.bisect_left(self.keys, key)
            if place == len(self.keys) or self.keys[place] != key:
                self.keys.insert(place, key)
        self.fsync_directory(os.path.dirname(file))
        return True

    def get(self, key):
        try:
            with open(self.file(key), "rb") as source:
                return source.read()
        except FileNotFoundError:
            return None

    def remove(self, key):
        with self.lock:
            try:
                os.unlink(self.file(key))
            except FileNotFoundError:
                return
            del self.keys[bisect.bisect_left(self.keys, key)]
        self.fsync_directory(os.path.dirname(self.file(key)))

    def list(self, prefix, after, limit):
        """Keys, and whether there are more."""
        with self.lock:
            start = bisect.bisect_left(self.keys, prefix)
            if after is not None:
                start = max(start, bisect.bisect_right(self.keys, after))
            keys = self.keys[start:start + limit + 1]
        keys = [key for key in keys if key.startswith(prefix)]
        return keys[:limit], len(keys) > limit


class Signatures:
    """Verifies requests as the documentation of S3 describes it, from decoded parts and not from the client's text."""

    def __init__(self, options):
        self.options = options

    def check(self, request, path, query, body):
        header = request.headers.get("Authorization")
        if header is None:
            raise Refusal(403, "AccessDenied")
        match = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
            r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})", header)
        if not match:
            raise Refusal(400, "AuthorizationHeaderMalformed")
        access, date, region, names, signature = match.groups()
        if access != self.options.access_key:
            raise Refusal(403, "InvalidAccessKeyId")
        if region != self.options.region:
            raise Refusal(400, "AuthorizationHeaderMalformed")
        if self.options.session_token and request.headers.get("x-amz-security-token") != self.options.session_token:
            raise Refusal(400, "InvalidToken")
        names = names.split(";")
        present = {name.lower() for name in request.headers}
        wanted = {name for name in present if name == "host" or name.startswith("x-amz-")}
        if names != sorted(names) or not wanted <= set(names) or not {"x-amz-date", "x-amz-content-sha256"} <= wanted:
            raise Refusal(403, "SignatureDoesNotMatch")
        instant = request.headers["x-amz-date"]
        when = datetime.datetime.strptime(instant, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if abs(when.timestamp() - time.time()) > 900 or not instant.startswith(date):
            raise Refusal(403, "RequestTimeTooSkewed")
        payload = request.headers["x-amz-content-sha256"]
        if payload != UNSIGNED and payload != hashlib.sha256(body).hexdigest():
            raise Refusal(400, "XAmzContentSHA256Mismatch")
        canonical = "\n".join([
            request.command,
            urllib.parse.quote(path, safe="/-_.~"),
            "&".join(f"{name}={value}" for name, value in sorted(
                (urllib.parse.quote(name, safe="-_.~"), urllib.parse.quote(value, safe="-_.~"))
                for name, value in query)),
            "".join(f"{name}:{' '.join(','.join(request.headers.get_all(name, [])).split())}\n" for name in names),
            ";".join(names), payload])
        scope = f"{date}/{region}/s3/aws4_request"
        text = "\n".join(
            ["AWS4-HMAC-SHA256", instant, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + self.options.secret_key).encode()
        for part in [date, region, "s3", "aws4_request", text]:
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(key.hex(), signature):
            raise Refusal(403, "SignatureDoesNotMatch")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, options):
        super().__init__(("127.0.0.1", options.port), Handler)
        self.options = options
        if options.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.directory = Directory(options.directory, False)
        for number in range(options.fill):
            self.directory.put(b"many/%08d" % number, b"", False)
        self.directory.sync = not options.no_sync
        self.signatures = Signatures(options)
        self.faults = {name: getattr(options, name.replace("-", "_")) for name in FAULTS}
        self.counters, self.requests, self.lock = {}, {}, threading.Lock()
        self.log = open(options.log, "a", buffering=1) if options.log else None

    def due(self, fault):
        """Whether this request is the last of those that the fault counts."""
        with self.lock:
            every = self.faults[fault]
            if every <= 0:
                return False
            self.counters[fault] = self.counters.get(fault, 0) + 1
            return self.counters[fault] % every == 0

    def handle_error(self, request, client_address):
        """Clients may close connections at any time."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def do_PUT(self):
        self.serve()

    do_GET = do_HEAD = do_DELETE = do_POST = do_PUT

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urllib.parse.urlsplit("http://host" + self.path if self.path.startswith("/") else self.path)
        query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        path = urllib.parse.unquote_to_bytes(parts.path)
        if path == b"/_faults":
            return self.control(dict(query))
        with self.server.lock:
            self.server.requests[self.command] = self.server.requests.get(self.command, 0) + 1
        try:
            self.server.signatures.check(self, path, query, body)
            bucket, _, key = path[1:].partition(b"/")
            if bucket.decode("utf-8", "replace") != self.server.options.bucket:
                raise Refusal(404, "NoSuchBucket")
            if self.server.faults["delay"] > 0:
                time.sleep(self.server.faults["delay"])
            if self.server.due("fail"):
                raise Refusal(500, "InternalError")
            if key:
                self.object(key, body)
            elif self.command == "GET" and dict(query).get("list-type") == "2":
                self.list(dict(query))
            else:
                raise Refusal(501, "NotImplemented")
        except Refusal as refusal:
            text = f"<Error><Code>{refusal.code}</Code><Message>refused</Message></Error>"
            self.answer(refusal.status, text.encode(), "application/xml")

    def object(self, key, body):
        directory = self.server.directory
        if len(key) > 1024:
            raise Refusal(400, "KeyTooLongError")
        if self.command == "PUT":
            condition = self.headers.get("If-None-Match")
            if condition not in (None, "*"):
                raise Refusal(501, "NotImplemented")
            if condition and self.server.due("conflict"):
                raise Refusal(409, "ConditionalRequestConflict")
            if not directory.put(key, body, bool(condition) and not self.server.faults["ignore-condition"]):
                raise Refusal(412, "PreconditionFailed")
            if self.server.due("lost-ack"):
                return self.hang_up()
            self.answer(200, b"")
        elif self.command == "DELETE":
            directory.remove(key)
            self.answer(204, b"")
        elif self.command in ("GET", "HEAD"):
            found = directory.get(key)
            if found is None:
                raise Refusal(404, "NoSuchKey")
            if self.server.due("shorten"):
                return self.answer(200, found[:len(found) // 2], with_length=False)
            self.answer(200, found, truncated=self.server.due("truncate"))
        else:
            raise Refusal(405, "MethodNotAllowed")

    def list(self, query):
        if self.server.due("garbage"):
            return self.answer(200, b"<html><body><p>Welcome</body></html>", "text/html")
        limit = min(int(query.get("max-keys", 1000)), self.server.faults["page"])
        after = query.get("start-after", "").encode() or None
        if query.get("continuation-token"):
            after = base64.urlsafe_b64decode(query["continuation-token"])
        keys, is_truncated = self.server.directory.list(query.get("prefix", "").encode(), after, limit)
        is_encoded = query.get("encoding-type") == "url"

        def text(key):
            # As S3 does: a space is a plus sign.
            return urllib.parse.quote_plus(key, safe="/*") if is_encoded else escape(key.decode())

        token = base64.urlsafe_b64encode(keys[-1]).decode() if is_truncated and keys else ""
        document = [
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
            f"<Name>{escape(self.server.options.bucket)}</Name>",
            f"<Prefix>{text(query.get('prefix', '').encode())}</Prefix>",
            f"<KeyCount>{len(keys)}</KeyCount><MaxKeys>{limit}</MaxKeys>",
            "<EncodingType>url</EncodingType>" if is_encoded else "",
            f"<IsTruncated>{'true' if is_truncated else 'false'}</IsTruncated>",
            f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""]
        document += [
            f"<Contents><Key>{text(key)}</Key><StorageClass>STANDARD</StorageClass></Contents>" for key in keys]
        document.append("</ListBucketResult>")
        self.answer(200, "".join(document).encode(), "application/xml", truncated=self.server.due("truncate"))

    def control(self, query):
        with self.server.lock:
            if self.command == "POST":
                for name, value in query.items():
                    self.server.faults[name] = FAULTS[name](value)
                    self.server.counters.pop(name, None)
            numbers = json.dumps(self.server.requests)
        self.answer(200, numbers.encode(), "application/json")

    def answer(self, status, body, kind="application/octet-stream", truncated=False, with_length=True):
        if self.server.log:
            self.server.log.write(f"{self.command} {self.path} {status}\n")
        self.send_response(status)
        if body:
            self.send_header("Content-Type", kind)
        if with_length and status != 204:
            self.send_header("Content-Length", str(len(body)))
        if truncated or not with_length:
            self.close_connection = True
            self.send_header("Connection", "close")
        # Header and body in one write.
        self._headers_buffer.append(b"\r\n")
        if self.command != "HEAD":
            self._headers_buffer.append(body[:len(body) // 2] if truncated else body)
        self.wfile.write(b"".join(self._headers_buffer))
        self._headers_buffer = []

    def hang_up(self):
        if self.server.log:
            self.server.log.write(f"{self.command} {self.path} lost\n")
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--bucket", default="bucket")
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--access-key", default="access")
    parser.add_argument("--secret-key", default="secret")
    parser.add_argument("--session-token", default="")
    parser.add_argument("--no-sync", action="store_true")
    parser.add_argument("--log")
    parser.add_argument("--fill", type=int, default=0)
    parser.add_argument("--certificate")
    for name, kind in FAULTS.items():
        if name == "ignore-condition":
            parser.add_argument("--" + name, action="store_true")
        else:
            parser.add_argument("--" + name, type=kind, default=1000 if name == "page" else 0)
    server = Server(parser.parse_args())
    print(server.server_address[1], flush=True)

    def wait_for_end():
        while sys.stdin.buffer.read(1):
            pass
        os._exit(0)

    if not sys.stdin.isatty() and not os.path.samestat(os.fstat(0), os.stat(os.devnull)):
        threading.Thread(target=wait_for_end, daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
