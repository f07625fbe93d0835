internal import Foundation
internal import MessageStoreLMDB

/// Shown messages as pages for a browser, without scripts: an index, and pages of each conversation.
struct MessagePages {
    private let shown: ShownMessages
    private let directory: String
    private let zone = TimeZone.current
    /// Lines of the index.
    private var items = ""

    /// The escaped name of the conversation that is being written, and the beginning of its files' names.
    private var (title, prefix) = ("", "")
    /// The place at which each page begins; nil for one that begins with an unsent message.
    private var starts: [MessageOrder?] = []

    /// - Parameter directory: The directory of the pages, which is created.
    init(_ shown: ShownMessages, in directory: String) { (self.shown, self.directory) = (shown, directory) }

    mutating func write(_ views: borrowing Views) throws {
        try FileSystem.createDirectory(directory)
        try shown.forEachConversation(views) { conversation in
            title = conversation.displayName.escapedForHTML
            prefix = NumberFormat.padded(Int64(shown.conversations), 4) + Self.slug(of: conversation.displayName)
            starts = []
            let before = shown.messages
            try shown.forEachPage(of: conversation.key, views) { try write($0, views) }
            items += item(conversation, messages: shown.messages - before)
        }
        let facts =
            "Messages of \(shown.account), as shown at position \(views.position). Times are of \(zone.identifier)."
        title = "Conversations"
        try create(
            "index.html", "<h1>Conversations</h1><p class=\"faint\">\(facts.escapedForHTML)</p>\n<ul>\n\(items)</ul>\n")
        try FileSystem.synchronize(directory)
    }

    private mutating func write(_ page: TimelinePage, _ views: borrowing Views) throws {
        starts.append(page.elements.first?.order)
        let number = starts.count
        var links = [("index.html", "All conversations")]
        if number > 1 { links.append((name(number - 1), "Earlier")) }
        if page.hasNewer { links.append((name(number + 1), "Later")) }
        let navigation = "<nav>\(links.map { "<a href=\"\($0)\">\($1)</a>" }.joined(separator: " "))</nav>\n"
        let last = page.elements.last { $0.order != nil }?.order
        var (body, day) = ("\(navigation)<h1 dir=\"auto\">\(title)</h1>\n", "")
        for message in page.elements {
            let time = localTime(message.time)
            if time.day != day { body += "<h2>\(time.day)</h2>\n" }
            day = time.day
            if shown.gaps.contains(message.id) { body += "<p class=\"faint\">Messages may be missing here.</p>\n" }
            body += "<article id=\"m\(message.id)\"\(message.isOutgoing ? " class=\"own\"" : "")><header>"
            body += "<b dir=\"auto\">\(try views.senderName(of: message).escapedForHTML)</b> <time>\(time.clock)</time>"
            if message.isModified, !message.isRecalled { body += " edited" }
            if message.isOutgoing { body += " \(message.status)" }
            body += "</header>\(try content(message, last, views))</article>\n"
        }
        try create(name(number), body + navigation)
    }

    /// All of a message but its head.
    private func content(_ message: Message, _ last: MessageOrder?, _ views: borrowing Views) throws -> String {
        let files = try views.files(of: message)
        var html = try quote(message, last, views)
        if files.isEmpty || message.text?.isEmpty == false {
            html += "<p dir=\"auto\">\(words(message).escapedForHTML)</p>"
        }
        for file in files { html += "<p class=\"faint\">File: \(link(to: file.file))</p>" }
        let reactions = try views.shownReactions(to: message)
            .map { "<span dir=\"auto\">\($0.key.escapedForHTML)</span> \(NumberFormat.count($0.count))" }
        return html + (reactions.isEmpty ? "" : "<p class=\"faint\">\(reactions.joined(separator: " · "))</p>")
    }

    private func words(_ message: Message) -> String {
        if message.isRecalled { return "[recalled]" }
        if message.isRedacted { return "[removed]" }
        return message.text.flatMap { $0.isEmpty ? nil : $0 } ?? "[\(message.content.type)]"
    }

    /// The message to which one replies, with a link if it is on this page or an earlier one.
    private func quote(_ message: Message, _ last: MessageOrder?, _ views: borrowing Views) throws -> String {
        guard let id = message.context.replyTo, !message.isRecalled else { return "" }
        guard let target = try views.message(.server(id), in: message.conversation) else {
            return "<blockquote>A message that is not shown</blockquote>"
        }
        let (words, name) = (words(target), try views.senderName(of: target))
        // One character may have any number of scalars.
        let cut =
            String(String.UnicodeScalarView(words.unicodeScalars.prefix(120)))
            + (words.unicodeScalars.dropFirst(120).isEmpty ? "" : "…")
        var html = "<b dir=\"auto\">\(name.escapedForHTML)</b> <span dir=\"auto\">\(cut.escapedForHTML)</span>"
        if let place = target.order, let last, place <= last,
            let page = starts.lastIndex(where: { $0.map { $0 <= place } ?? false })
        {
            html = "<a href=\"\(self.name(page + 1))#m\(target.id)\">\(html)</a>"
        }
        return "<blockquote>\(html)</blockquote>"
    }

    /// A file by its name, with a link to its place on this device, else on a server.
    private func link(to file: MediaFile) -> String {
        // Nothing of a path begins a scheme.
        let path = file.path?.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting([":"]))
        let url = file.url.flatMap { url in
            url.lowercased().hasPrefix("https://") || url.lowercased().hasPrefix("http://") ? url : nil
        }
        let place = path.map { ($0.hasPrefix("/") ? "file://" : "./") + $0 } ?? url
        let names = [file.name, (file.path ?? file.url)?.split(separator: "/").last.map { String($0) }, "file"]
        let name = names.compactMap { $0 }.first { !$0.isEmpty } ?? ""
        let text = "<bdi>\(name.escapedForHTML)</bdi>"
        let size = file.byteCount.map { " " + NumberFormat.bytes(UInt64(clamping: $0)) } ?? ""
        return (place.map { "<a href=\"\($0.escapedForHTML)\">\(text)</a>" } ?? text) + size
    }

    /// A line of the index, with links to the newest page and the first.
    private func item(_ conversation: Conversation, messages: Int) -> String {
        var facts = [conversation.kind.description, NumberFormat.count(messages, "message", "messages")]
        let unread = conversation.unread.messages
        if unread > 0 { facts.append("\(NumberFormat.count(unread)) unread") }
        if let time = conversation.lastMessage?.time { facts.append(localTime(time).day) }
        facts += ConversationBoolean.marked(conversation).map(\.words)
        let first = starts.count > 1 ? " · <a href=\"\(name(1))\">from the beginning</a>" : ""
        let newest = "<a href=\"\(name(starts.count))\"><b dir=\"auto\">\(title)</b></a>"
        return "<li>\(newest)<br/><span class=\"faint\">\(facts.joined(separator: " · "))\(first)</span></li>\n"
    }

    /// The file of a page of the conversation.
    private func name(_ page: Int) -> String { "\(prefix)-\(page).html" }

    /// The ASCII letters and digits of a name, for people who look at the files.
    private static func slug(of name: String) -> String {
        let words = name.lowercased().utf8.split {
            !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0)
        }
        return words.reduce("") { $0 + "-" + String(decoding: $1, as: UTF8.self) }.prefix(32).description
    }

    private func localTime(_ time: Timestamp) -> (day: String, clock: String) {
        guard time != .unknown else { return ("Without a time", "") }
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000))
        let local = Timestamp(milliseconds: time.milliseconds &+ Int64(seconds) * 1_000)
        let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        let parts = local.description.split(separator: "T")
        return ("\(names[Int((local.day % 7 + 7) % 7)]), \(parts[0])", String((parts.last ?? "").prefix(5)))
    }

    private func create(_ name: String, _ body: String) throws {
        let page = """
            <!DOCTYPE html>
            <html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>\(title)</title><style>\(Self.style)</style></head><body>
            \(body)</body></html>

            """
        try FileSystem.create(directory + "/" + name, bytes: Array(page.utf8))
    }

    private static let style = """
        :root{color-scheme:light dark;--page:#f0f0f3;--text:#111;--faint:#5c6167;--own:#d9f1d3;--other:#fff}
        @media(prefers-color-scheme:dark){:root{--page:#16171a;--text:#eee;--faint:#a8adb3;--own:#1f4a2c;--other:#2a2c30}}
        body{margin:0 auto;max-width:44rem;padding:.75rem;background:var(--page);color:var(--text);
        font:1rem/1.4 system-ui,sans-serif;overflow-wrap:anywhere}
        h1{font-size:1.3rem}h2{font-size:.85rem;text-align:center;color:var(--faint);margin:1.2rem 0 .6rem}
        nav{display:flex;flex-wrap:wrap;gap:1rem;padding:.4rem 0}ul{list-style:none;padding:0}li{padding:.5rem 0}
        article{box-sizing:border-box;width:fit-content;max-width:88%;padding:.45rem .7rem;margin:.35rem 0;
        border-radius:.8rem;background:var(--other)}
        .own{margin-left:auto;background:var(--own)}article:target{outline:2px solid}
        header,.faint{font-size:.8rem;color:var(--faint)}header b{color:var(--text)}
        p{margin:.15rem 0;white-space:pre-wrap}a{color:inherit}
        blockquote{margin:.25rem 0;padding-left:.6rem;border-left:3px solid var(--faint);font-size:.85rem}
        """
}

extension String {
    /// The text as HTML and XML write it; characters that XML cannot have become U+FFFD.
    var escapedForHTML: String {
        let escapes: [Unicode.Scalar: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;", "\r": "&#13;",
        ]
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "&", "<", ">", "\"", "'", "\r": result.append(contentsOf: escapes[scalar, default: ""].unicodeScalars)
            case "\t", "\n", " "..."~", "\u{A0}"..."\u{FFFD}", "\u{10000}"...: result.append(scalar)
            default: result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}
