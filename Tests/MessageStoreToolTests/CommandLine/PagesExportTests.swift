import Foundation
import MessageStore
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("messagestore export --html", .tool, .timeLimit(.minutes(30)))
struct PagesExportTests {
    private static let team = ConversationKey.group("team <b>&\"'")
    private static let paths = [
        "/photos/a b#1?.jpg", "javascript:window.hacked=1", "notes/报告.pdf",
        "\"><script>window.hacked=1</script>",
    ]

    /// Hostile names and texts, and a conversation of two pages with replies, an edit, a recall, reactions and files.
    private func fill() throws {
        func time(_ number: Int) -> Timestamp {
            Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 60_000)
        }
        try place.write { store in
            try HostileStore.fill(store)
            try store.record(
                (0..<1_500).map { number in
                    let target = [1_200: "t3", 1_400: "t1300", 1_401: "t5", 1_402: "none", 7: "t1499"][number]
                    let context = MessageContext(replyTo: target.map { ServerMessageID($0) })
                    return .received(
                        ServerMessageID("t\(number)"), from: "bob", in: Self.team, at: time(number),
                        content: .text("line \(number).\r\nnext\t\u{1}\u{FFFF}."), context: context)
                })
            try store.record([
                .modified(
                    .server("t3"), content: .text("new <words>"), in: Self.team, at: time(2_000),
                    origin: .live),
                .recalled(.server("t5"), in: Self.team, origin: .live),
                .reactionAdded("<b>", to: .server("t3"), by: "bob", in: Self.team, at: time(2_001)),
                .queued(.text("unsent"), in: Self.team),
            ])
            for (index, path) in Self.paths.enumerated() {
                try store.record([
                    Event(
                        AttachmentStateChanged(
                            .server("t10"), state: .available, localPath: path, byteCount: 1_500,
                            index: UInt8(index)),
                        in: Self.team)
                ])
            }
            let picture = ImagePayload(
                MediaFile(url: "javascript:window.hacked=1", name: "<i>.png", byteCount: 7))
            try store.record([
                .received("image", from: "bob", in: Self.team, at: time(1_600), content: picture.encode())
            ])
        }
    }

    private func pages() throws -> [String: Page] {
        let path = place.store + "-pages"
        try place.run("export", "--html", path).succeeded()
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Page(Data(contentsOf: URL(fileURLWithPath: path + "/" + $0))))
            })
    }

    @Test("hostile strings are text and nothing else, and each page is well-formed")
    func hostile() throws {
        try fill()
        let pages = try pages()
        let elements: Set = [
            "html", "head", "meta", "title", "style", "body", "nav", "a", "h1", "h2", "p", "ul", "li",
            "b", "br",
            "span",
            "article", "header", "time", "bdi", "blockquote",
        ]
        let attributes: Set = [
            "xmlns", "lang", "charset", "name", "content", "http-equiv", "href", "id", "class", "dir",
        ]
        for (name, page) in pages {
            #expect(page.error == nil, "\(name)")
            #expect(
                page.elements.subtracting(elements) == [] && page.attributes.subtracting(attributes) == [],
                "\(name)")
            let isSafe = name.wholeMatch(of: /index\.html|[0-9]{4}(-[a-z0-9]+)*-[0-9]+\.html/) != nil
            #expect(isSafe, "\(name)")
        }
        // Each message has its text, as far as XML can have its characters.
        let articles = Dictionary(pages.values.flatMap(\.articles)) { first, _ in first }
        try MessageStore.openReadOnly(place.store, configuration: .ofTests).read { views in
            var count = 0
            for key in try views.everyConversation() {
                var page = try views.timeline(of: key, limit: 500)
                while let first = page.elements.first {
                    count += page.elements.count
                    for message in page.elements {
                        guard let text = message.text else { continue }
                        let expected = String(String.UnicodeScalarView(text.unicodeScalars.map(Self.replaced)))
                        let isThere = articles["m\(message.id)"]?.text.hasSameScalars(as: expected) == true
                        #expect(isThere, "\(key) \(message.id)")
                    }
                    page = try views.timeline(of: key, .before(.message(.local(first.id))), limit: 500)
                }
            }
            #expect(count == articles.count && count == 201 + 1_502)
        }
    }

    /// The character that pages have, since XML 1.0 has no control characters.
    private static func replaced(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let isControl =
            scalar.properties.generalCategory == .control && !"\t\n\r".unicodeScalars.contains(scalar)
        return isControl || scalar.value >= 0xFFFE && scalar.value <= 0xFFFF ? "\u{FFFD}" : scalar
    }

    @Test(
        "pages, days, replies, edits, recalls, reactions and files are shown and linked; every link has its end"
    )
    func links() throws {
        try fill()
        let pages = try pages()
        for (name, page) in pages {
            for link in page.links where !link.hasPrefix("file:///") && !link.hasPrefix("./") {
                let parts = link.split(separator: "#", maxSplits: 1).map { String($0) }
                let target = try #require(pages[parts[0]], "\(name): \(link)")
                #expect(parts.count == 1 || target.articles[parts[1]] != nil, "\(name): \(link)")
            }
        }
        let first = try #require(pages.first { $0.key.hasSuffix("-team-b-1.html") })
        let second = try #require(pages[first.key.replacing("-1.html", with: "-2.html")])
        #expect(first.value.articles.count == 1_000 && second.articles.count == 502)
        let all = first.value.articles.merging(second.articles) { first, _ in first }
        func article(_ text: String) throws -> Page.Article {
            try #require(all.values.first { $0.whole.contains(text) })
        }
        let edited = try #require(all.values.first { $0.text == "new <words>" })
        #expect(edited.whole.contains("edited") && edited.whole.contains("<b> 1"))
        #expect(all.values.contains { $0.text == "[recalled]" })
        #expect(!all.values.contains { $0.whole.contains("line 3.") || $0.whole.contains("line 5.") })
        #expect(try article("line 1200.").links == ["\(first.key)#\(edited.id)"])
        #expect(try article("line 1200.").quote.hasSuffix("new <words>"))
        #expect(try article("line 1401.").quote.hasSuffix("[recalled]"))
        #expect(try article("line 1402.").quote == "A message that is not shown")
        // The page of a later message is not known yet.
        #expect(try article("line 7.").links == [] && article("line 7.").quote.contains("line 1499"))
        #expect(try article("unsent").isOwn && !edited.isOwn)
        let files = try article("line 10.")
        #expect(
            files.links == [
                "file:///photos/a%20b%231%3F.jpg", "./javascript%3Awindow.hacked=1",
                "./notes/%E6%8A%A5%E5%91%8A.pdf", "./%22%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E",
            ])
        #expect(files.whole.contains("报告.pdf 1.5 kB"))
        #expect(try article("<i>.png 7 B").links == [])
        let index = try #require(pages["index.html"])
        #expect(index.links.contains(first.key) && index.links.count > pages.count - 2)
        #expect(index.whole.contains("1,502 messages"))
    }
}

/// A page as a parser of XML reads it.
private final class Page: NSObject, XMLParserDelegate {
    struct Article {
        var (id, whole, text, quote) = ("", "", "", "")
        var links: [String] = []
        var isOwn = false
    }

    private(set) var error: (any Error)?
    private(set) var (elements, attributes): (Set<String>, Set<String>) = ([], [])
    private(set) var links: [String] = []
    private(set) var articles: [String: Article] = [:]
    private(set) var whole = ""
    private var open: [String] = []
    private var article: Article?
    private var isText = false

    init(_ data: Data) {
        super.init()
        let parser = XMLParser(data: data)
        parser.delegate = self
        if !parser.parse() { error = parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?,
        attributes values: [String: String]
    ) {
        open.append(name)
        elements.insert(name)
        attributes.formUnion(values.keys)
        if name == "article" {
            article = Article()
            article?.id = values["id"] ?? ""
            article?.isOwn = values["class"] == "own"
        }
        isText = name == "p" && values["dir"] != nil
        guard let link = values["href"] else { return }
        links.append(link)
        article?.links.append(link)
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        append(string, to: &whole)
        guard var article else { return }
        append(string, to: &article.whole)
        if open.contains("blockquote") { append(string, to: &article.quote) }
        if isText { append(string, to: &article.text) }
        self.article = article
    }

    /// Scalar by scalar, since a character may go on in the next piece.
    private func append(_ string: String, to text: inout String) {
        text.unicodeScalars.append(contentsOf: string.unicodeScalars)
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        open.removeLast()
        isText = false
        guard name == "article", let done = article else { return }
        articles[done.id] = done
        article = nil
    }
}

extension String {
    /// Whether both are equal without regard to what Unicode takes for the same.
    fileprivate func hasSameScalars(as other: String) -> Bool {
        unicodeScalars.elementsEqual(other.unicodeScalars)
    }
}
