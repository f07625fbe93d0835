internal import Foundation
internal import MessageStoreLMDB

/// Shown messages as pages for a browser, without scripts: an index, and pages of each conversation.
struct MessagePages {
    private let shown: ShownMessages
    private let directory: String
    private let zone = TimeZone.current
    private var items = ""

    // Of the conversation that is being written.
    private var (title, prefix, day) = ("", "", "")
    /// The place at which each page begins; nil for one that begins with an unsent message.
    private var starts: [MessageOrder?] = []

    /// - Parameter directory: The directory of the pages, which is created.
    init(_ shown: ShownMessages, in directory: String) { (self.shown, self.directory) = (shown, directory) }

    mutating func write(_ views: borrowing Views) throws {
        try FileSystem.createDirectory(directory)
        try shown.forEachConversation(views) { conversation in
            title = conversation.displayName
            prefix = NumberFormat.padded(Int64(shown.conversations), 4) + Self.slug(of: title)
            (starts, day) = ([], "")
            let before = shown.messages
            try shown.forEachPage(of: conversation, views) { try write($0, views) }
            items += item(conversation, messages: shown.messages - before)
        }
        let facts =
            "Messages of \(shown.account), as shown at position \(views.position). Times are of \(zone.identifier)."
        let body =
            "<h1>Conversations</h1>\n<p class=\"faint\" dir=\"auto\">\(facts.escapedForHTML)</p>\n<ul>\n\(items)</ul>\n"
        try create("index.html", title: "Conversations", body)
    }

    private mutating func write(_ page: TimelinePage, _ views: borrowing Views) throws {
        starts.append(page.elements.first?.order)
        let number = starts.count
        var links = ["<a href=\"index.html\">All conversations</a>"]
        if number > 1 { links.append("<a href=\"\(name(number - 1))\">Earlier</a>") }
        if page.hasNewer { links.append("<a href=\"\(name(number + 1))\">Later</a>") }
        let navigation = "<nav>\(links.joined(separator: " "))</nav>\n"
        var body = "\(navigation)<h1 dir=\"auto\">\(title.escapedForHTML)</h1>\n"
        let last = page.elements.last { $0.order != nil }?.order
        day = ""
        for message in page.elements { body += try article(message, last, views) }
        try create(name(number), title: title, body + navigation)
    }

    private mutating func article(
        _ message: Message, _ last: MessageOrder?, _ views: borrowing Views
    ) throws -> String {
        let local = localTime(message.time)
        let name = try views.senderName(of: message)
        var html = shown.gaps.contains(message.id) ? "<p class=\"faint\">Messages may be missing here.</p>\n" : ""
        if local.day != day { html += "<h2>\(local.day)</h2>\n" }
        day = local.day
        var notes: [String] = message.isModified && !message.isRecalled ? ["edited"] : []
        if message.isOutgoing { notes.append(message.status.description) }
        html += "<article id=\"m\(message.id.rawValue)\"\(message.isOutgoing ? " class=\"own\"" : "")>"
        html += "<header><b dir=\"auto\">\(name.escapedForHTML)</b> "
        if message.time != .unknown { html += "<time datetime=\"\(message.time)\">\(local.clock)</time> " }
        html += notes.joined(separator: ", ") + "</header>"
        guard !message.isRecalled, !message.isRedacted else {
            return html + "<p class=\"faint\">\(Self.removed(message))</p></article>\n"
        }
        html += try quote(message, last, views)
        let files = try views.files(of: message)
        if let text = message.text, !text.isEmpty {
            html += "<p dir=\"auto\">\(text.escapedForHTML)</p>"
        } else if files.isEmpty {
            html += "<p class=\"faint\">[\(message.content.type.rawValue.escapedForHTML)]</p>"
        }
        for file in files { html += "<p class=\"faint\">File: \(link(to: file))</p>" }
        let reactions = try views.reactions(to: .local(message.id), in: message.conversation)
            .map { "<span dir=\"auto\">\($0.key.escapedForHTML)</span> \(NumberFormat.count($0.count))" }
        if !reactions.isEmpty { html += "<p class=\"faint\">\(reactions.joined(separator: " · "))</p>" }
        return html + "</article>\n"
    }

    private static func removed(_ message: Message) -> String {
        message.isRecalled ? "This message was recalled." : "What this message said was removed."
    }

    /// The message to which one replies, with a link where it is on this or an earlier page.
    private func quote(_ message: Message, _ last: MessageOrder?, _ views: borrowing Views) throws -> String {
        guard let id = message.context.replyTo else { return "" }
        guard let target = try views.message(.server(id), in: message.conversation) else {
            return "<blockquote>A message that is not shown</blockquote>"
        }
        let isRemoved = target.isRecalled || target.isRedacted
        let words = isRemoved ? Self.removed(target) : target.text ?? "[\(target.content.type.rawValue)]"
        // A character may have any number of scalars.
        let cut = String(String.UnicodeScalarView(words.unicodeScalars.prefix(120)))
        var html = "<b dir=\"auto\">\(try views.senderName(of: target).escapedForHTML)</b> "
        html += "<span dir=\"auto\">\((cut + (cut == words ? "" : "…")).escapedForHTML)</span>"
        if let place = target.order, let last, place <= last,
            let page = starts.lastIndex(where: { $0.map { $0 <= place } ?? false })
        {
            html = "<a href=\"\(name(page + 1))#m\(target.id.rawValue)\">\(html)</a>"
        }
        return "<blockquote>\(html)</blockquote>"
    }

    /// A file by its name, with a link to its place on this device, or else on a server.
    private func link(to file: ShownFile) -> String {
        let size = file.bytes.map { " " + NumberFormat.bytes(UInt64(clamping: $0)) } ?? ""
        let name = "<span dir=\"auto\">\(file.shownName.escapedForHTML)</span>"
        let isWeb = ["https://", "http://"].contains { file.url?.lowercased().hasPrefix($0) == true }
        let place = file.path.flatMap(Self.reference) ?? (isWeb ? file.url : nil)
        return (place.map { "<a href=\"\($0.escapedForHTML)\">\(name)</a>" } ?? name) + size
    }

    /// A path as a URL, which is relative if the path is.
    private static func reference(_ path: String) -> String? {
        let plain = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting([":"]))
        return plain.map { path.hasPrefix("/") ? "file://" + $0 : "./" + $0 }
    }

    private func item(_ conversation: Conversation, messages: Int) -> String {
        let unread = conversation.unread.messages
        var facts = [conversation.kind.description, NumberFormat.count(messages, "message", "messages")]
        if unread > 0 { facts.append("\(NumberFormat.count(unread)) unread") }
        if let time = conversation.lastMessage?.time, time != .unknown { facts.append(localTime(time).day) }
        facts += ConversationBoolean.marked(conversation).map(\.words)
        let first = starts.count > 1 ? " · <a href=\"\(name(1))\">from the beginning</a>" : ""
        return """
            <li><a href="\(name(starts.count))"><b dir="auto">\(title.escapedForHTML)</b></a><br/>\
            <span class="faint">\(facts.joined(separator: " · ").escapedForHTML)\(first)</span></li>

            """
    }

    /// The file of a page of the conversation.
    private func name(_ page: Int) -> String { "\(prefix)-\(page).html" }

    /// The ASCII letters and digits of a name, for people who look at files.
    private static func slug(of name: String) -> String {
        let words = name.lowercased().unicodeScalars.split {
            !$0.isASCII || !$0.properties.isAlphabetic && !("0"..."9" ~= $0)
        }
        return words.isEmpty ? "" : "-" + words.map { String($0) }.joined(separator: "-").prefix(32)
    }

    private func localTime(_ time: Timestamp) -> (day: String, clock: Substring) {
        guard time != .unknown else { return ("Without a time", "") }
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000))
        let local = Timestamp(milliseconds: time.milliseconds &+ Int64(seconds) * 1_000)
        let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        let weekday = names[Int((local.day % 7 + 7) % 7)]
        let parts = local.description.split(separator: "T")
        return ("\(weekday), \(parts[0])", (parts.last ?? "").prefix(5))
    }

    private func create(_ name: String, title: String, _ body: String) throws {
        let page = """
            <!DOCTYPE html>
            <html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>\(title.escapedForHTML)</title>
            <style>\(Self.style)</style></head>
            <body>
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
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\r": result.append(contentsOf: "&#13;".unicodeScalars)
            case "\t", "\n", " "..."~", "\u{A0}"..."\u{FFFD}", "\u{10000}"...: result.append(scalar)
            default: result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}
