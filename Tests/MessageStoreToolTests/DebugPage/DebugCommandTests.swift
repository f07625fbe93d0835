import Foundation
import MessageStore
import MessageStoreLMDB
import Testing

@testable import MessageStoreTool

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("messagestore debug", .tool, .timeLimit(.minutes(30)))
struct DebugCommandTests {
    init() throws {
        try place.write { try HostileStore.fill($0) }
    }

    /// How often a text is in another, whatever characters its bytes are part of.
    private func count(of text: String, in page: String) -> Int {
        let (text, page) = (Data(text.utf8), Data(page.utf8))
        var (count, rest) = (0, page.startIndex..<page.endIndex)
        while let found = page.range(of: text, in: rest) {
            count += 1
            rest = found.upperBound..<page.endIndex
        }
        return count
    }

    private func get(_ address: String) async throws -> (text: String, response: HTTPURLResponse) {
        let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: address)))
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }

    @Test("it serves on this machine under a number of 128 bits, with a policy that lets nothing else in")
    func serving() async throws {
        let page = try ServedPage([place.store])
        let form = #/http://127\.0\.0\.1:(\d+)/[0-9a-f]{32}//#
        let port = try #require(page.address.wholeMatch(of: form)?.output.1)
        for name in ["", "page.css", "page.js", "info"] {
            let (text, response) = try await get(page.address + name)
            #expect(response.statusCode == 200 && !text.isEmpty)
            let policy = try #require(response.value(forHTTPHeaderField: "Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"))
            for part in ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe"))
            #expect(response.value(forHTTPHeaderField: "X-Content-Type-Options") == "nosniff")
            #expect(response.value(forHTTPHeaderField: "Referrer-Policy") == "no-referrer")
            #expect(response.value(forHTTPHeaderField: "Cache-Control") == "no-store")
            // Nothing on the page comes from elsewhere.
            if name != "info" { #expect(!text.contains("://")) }
        }
        #expect(try await get("http://localhost:\(port)/").response.statusCode == 404)
        #expect(try await get(page.address + "state").response.statusCode == 400)
        let search = page.address + "search?text=LAST%20words&from=200"
        #expect(try await get(search).text.contains("\"positions\":[203]"))
        // Other addresses of this machine do not lead here.
        await #expect(throws: URLError.self) { _ = try await get("http://127.0.0.2:\(port)/") }
        try place.run("debug", "--port", String(port)).ended(2, saying: "port \(port) is in use")
        #expect(page.interrupt() == 0)
    }

    @Test("an interrupt ends it, and its temporary files go with it")
    func end() async throws {
        let temporary = try place.makeDirectory("temporary")
        let watch = try FolderWatch(temporary)
        let page = try ServedPage([place.store], environment: ["TMPDIR": temporary])
        _ = try await get(page.address + "state?at=203")
        while try place.names(in: "temporary").isEmpty, watch.next(before: page.output) {}
        #expect(try !place.names(in: "temporary").isEmpty)
        #expect(page.interrupt() == 0)
        #expect(try place.names(in: "temporary") == [])
        try place.run("verify").succeeded()
    }

    @Test(
        "a signal ends an explanation that is looked for, and its temporary files go with it",
        arguments: [SIGINT, SIGHUP])
    func endOfWhy(signal: Int32) async throws {
        try place.recordMutes()
        let temporary = try place.makeDirectory("temporary")
        let watch = try FolderWatch(temporary)
        let page = try ServedPage([place.store], environment: ["TMPDIR": temporary])
        func builds() throws -> Int {
            try place.names(in: "temporary").count { $0.hasPrefix("views.build-") }
        }
        // One is the page's own.
        var position = TestSize.of(plain: 10_203, full: 100_203)
        while try builds() < 2 {
            let (_, response) = try await get(page.address + "why?kind=badge&at=\(position)")
            try #require(response.statusCode == 202)
            _ = watch.next(before: page.output, within: 500)
            // On a busy machine it may have been explained by now: then another explanation is looked for.
            position -= 1
        }
        #expect(page.interrupt(by: signal) == 0)
        #expect(try place.names(in: "temporary") == [])
    }

    @Test("a page takes the newest 5,000 events, and refuses more that are asked for")
    func tooLong() throws {
        try place.record((0..<5000).map { _ in Event(ConversationPinned(), in: .group("friends")) })
        let path = place.logs.directory.path + "/x.html"
        try place.run("debug", "--html", path, "--from", "1").ended(2, saying: "5000", "--to")
        for (last, first) in [(1, 1), (5000, 1), (5001, 2), (5203, 204)] as [(UInt64, UInt64)] {
            #expect(DebugReport.newest(upTo: Position(last)) == Position(first))
        }
    }

    private func page(_ options: [String]) throws -> String {
        let path = place.logs.directory.path + "/page.html"
        try? FileManager.default.removeItem(atPath: path)
        try ToolRun(["debug", place.store, "--html", path] + options).succeeded()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600, "it holds what messages say")
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("the page in a file loads nothing, and no text in it ends its data")
    func file() throws {
        let page = try page([])
        try place.run("debug", "--html", place.logs.directory.path + "/page.html").ended(2, saying: "exists already")
        let scripts = page.matches(of: /<script[^>]*>/).map { String($0.output) }
        #expect(scripts.count == 2 && scripts[0] == #"<script type="text/plain" id="data">"#)
        #expect(count(of: "</script>", in: page) == 2 && count(of: "<script", in: page) == 2)
        #expect(count(of: "pwned", in: page) == 0)
        let nonce = try #require(page.firstMatch(of: /<script nonce="([0-9a-f]{32})">/)?.output.1)
        #expect(page.contains("default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'"))
        #expect(!page.contains("<script src=") && !page.contains("<link rel=\"stylesheet\""))
        let data = try embeddedData(of: page)
        #expect(count(of: "<h1 id=pwned", in: data) > 0)
        let isShown = data.unicodeScalars.contains("\u{202E}")
        #expect(!isShown)
        let object = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        #expect((object?["events"] as? [Any])?.count == 203 && (object?["steps"] as? [Any])?.count == 204)
    }

    @Test("--no-text leaves out what messages say, --anonymise every other string as well")
    func withoutText() throws {
        let names = ["friends", "bold", "evil", "عائلة", "工作群", "bob", "i>eve", "ליאור", "小明", "m199"]
        let words = ["last words", "gnp.exe", "hacked=1", "שלום", "مرحبا", "晚上", "veiled"]
        // One conversation is named in words that messages hold, too.
        let hacked = ["hacked=1"]
        let whole = try embeddedData(of: page([]))
        #expect((names + words).filter { !whole.contains($0) } == [])
        let cut = try embeddedData(of: page(["--no-text"]))
        #expect(words.filter { cut.contains($0) } == hacked)
        #expect(names.filter { !cut.contains($0) } == [])
        let anonymous = try embeddedData(of: page(["--anonymise"]))
        #expect((names + words).filter { anonymous.contains($0) } == [])
        // Counts are as they were.
        let badge = #/"badge":\d+/#
        let counts = [whole, cut, anonymous].map { text in text.matches(of: badge).map { String($0.output) } }
        #expect(counts[0].count > 100 && counts[0] == counts[1] && counts[0] == counts[2])
    }
}
