internal import Foundation

/// Answers the page's requests, and refuses others'.
struct DebugSite: Sendable {
    let session: DebugSession
    /// The beginning of every path: nobody is answered without it.
    let token: String
    /// The names under which the server is known; a page elsewhere whose name was made to lead here has another.
    private let hosts: Set<String>

    init(session: DebugSession, token: String, port: UInt16) {
        (self.session, self.token) = (session, token)
        let names = ["127.0.0.1", "localhost"]
        // Browsers leave out the port that is the usual one.
        hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    }

    /// 128 bits that nobody can guess, as 32 hexadecimal digits.
    static func makeToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return generator.next().hexadecimal() + generator.next().hexadecimal()
    }

    func answer(_ request: DebugRequest) async -> DebugAnswer {
        guard let host = request.host, hosts.contains(host.lowercased()) else {
            return .refusal(403, "this name is not served")
        }
        guard request.method == "GET" else { return .refusal(405, "only GET is answered") }
        guard request.path.count == 2, Self.isEqual(request.path[0], token) else {
            return .refusal(404, "there is nothing here; open the address that the command printed")
        }
        do {
            return try await answer(request.path[1], request)
        } catch {
            return Self.refusal(for: error)
        }
    }

    private func answer(_ name: String, _ request: DebugRequest) async throws -> DebugAnswer {
        switch name {
        case "": return DebugAnswer(status: 200, type: "text/html; charset=utf-8", body: Data(PageAssets.page.utf8))
        case "page.css": return DebugAnswer(status: 200, type: "text/css; charset=utf-8", body: PageAssets.style)
        case "page.js":
            return DebugAnswer(status: 200, type: "text/javascript; charset=utf-8", body: PageAssets.script)
        case "info": return try .json(try await session.info())
        case "events": return try .json(try session.events(at: try DebugEvents.positions(of: request)))
        case "search": return try .json(try session.search(try DebugSearch(request)))
        case "position": return try .json(try session.position(of: request["moment"] ?? ""))
        case "state": return try await answer(session.state(DebugState.Question(request)))
        case "changes":
            guard let first = try request.position("from"), let last = try request.position("to") else {
                throw ToolError.usage("from and to are needed")
            }
            return try await answer(session.changes(from: first, to: last))
        case "chart": return try await answer(session.chart(DebugChart.Question(request)))
        case "sizes": return try .json(try await session.sizes())
        case "why", "suspects":
            return try await answer(session.explanation(DebugWhy(request, asksSuspects: name == "suspects")))
        default: return .refusal(404, "there is nothing here")
        }
    }

    /// A value; nil if the log was not folded so far yet: the page shows how far it is and asks again.
    private func answer(_ value: (some Encodable)?) async throws -> DebugAnswer {
        guard let value else { return try .json(await session.info(), status: 202) }
        return try .json(value)
    }

    private static func refusal(for error: any Error) -> DebugAnswer {
        let (status, text) =
            switch error {
            case let error as ToolError: (400, error.description)
            case let error as ConditionError: (400, error.message)
            case let error as StoreError:
                ([.invalidArgument, .notFound, .positionCut].contains(error.code) ? 400 : 500, error.words)
            default: (500, "the request failed")
            }
        let answer = try? DebugAnswer.json(["error": text.terminalSafe], status: status)
        return answer ?? .refusal(status, "the request failed")
    }

    /// Takes as long wherever the texts differ.
    private static func isEqual(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        guard first.count == second.count else { return false }
        return first.indices.reduce(0) { $0 | (first[$1] ^ second[$1]) } == 0
    }
}

/// The page's own files, which are built into the code.
enum PageAssets {
    /// The page as it is served: it loads the style and the script from files next to it.
    static let page = EmbeddedAssets.pageHTML
        .replacing("<!--style-->", with: #"<link rel="stylesheet" href="page.css">"#)
        .replacing("<!--script-->", with: #"<script src="page.js"></script>"#)
        .replacing("<!--policy-->", with: "").replacing("<!--data-->", with: "")

    static let style = Data(EmbeddedAssets.pageCSS.utf8)

    /// The page as a file, with data, style and script within.
    ///
    /// The data is deflated and in base64, so that no text within can end its element.
    /// A policy lets nothing run but the script, which has a number that nobody can guess.
    static func page(data: String) -> String {
        let nonce = DebugSite.makeToken()
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; "
            + "form-action 'none'"
        return EmbeddedAssets.pageHTML
            .replacing("<!--policy-->", with: "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">")
            .replacing("<!--style-->", with: "<style nonce=\"\(nonce)\">\n\(EmbeddedAssets.pageCSS)</style>")
            .replacing("<!--script-->", with: "<script nonce=\"\(nonce)\">\n\(scripts)</script>")
            .replacing("<!--data-->", with: "<script type=\"text/plain\" id=\"data\">\(data)</script>")
    }

    static let script = Data(scripts.utf8)

    /// All scripts, one after the other, in the order in which they need each other.
    private static let scripts = [
        EmbeddedAssets.textJS, EmbeddedAssets.sourceJS, EmbeddedAssets.embeddedJS, EmbeddedAssets.searchJS,
        EmbeddedAssets.eventsJS, EmbeddedAssets.stateJS, EmbeddedAssets.changesJS, EmbeddedAssets.chartJS,
        EmbeddedAssets.sizesJS, EmbeddedAssets.whyJS, EmbeddedAssets.keysJS, EmbeddedAssets.pageJS,
    ].joined(separator: "\n")
}
