internal import FlyingFox
internal import FlyingSocks
internal import MessageStore

/// Serves the page on this machine alone.
struct DebugServer {
    private let server: HTTPServer
    private let session: DebugSession

    /// - Parameters:
    ///   - store: The store, open for reading.
    ///   - port: The port; 0 for any that is free.
    init(_ store: MessageStore, port: UInt16) throws {
        session = try DebugSession(store)
        server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port), pool: PromptSocketPool(pool: HTTPServer.defaultPool()),
            logger: .disabled)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: Called with the page's address when it can be opened.
    /// - Throws: ``ToolError`` where the port is not free.
    func run(ready: @Sendable (String) throws -> Void) async throws {
        let token = DebugSite.makeToken()
        async let end: Void = server.run()
        do {
            try await server.waitUntilListening(timeout: 60)
            guard case .ip4(_, let port)? = await server.listeningAddress else { return try await end }
            let site = DebugSite(session: session, token: token, port: port)
            await server.appendRoute("*") { request in HTTPResponse(await site.answer(DebugRequest(request))) }
            try ready("http://127.0.0.1:\(port)/\(token)/")
            try await end
        } catch let error as SocketError {
            throw ToolError.usage("the page cannot be served: \(error)")
        }
    }

    /// Ends what goes on in the background, and waits until it has let go of its temporary files.
    func close() async { await session.close() }
}

extension DebugRequest {
    fileprivate init(_ request: HTTPRequest) {
        method = request.method.rawValue
        host = request.headers[.host]
        path = request.target.path().split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0)
        }
        parameters = Dictionary(request.query.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension HTTPResponse {
    fileprivate init(_ answer: DebugAnswer) {
        var headers = HTTPHeaders()
        for (name, value) in DebugAnswer.headers { headers[HTTPHeader(name)] = value }
        headers[.contentType] = answer.type
        if answer.status == 405 { headers[HTTPHeader("Allow")] = "GET" }
        self.init(statusCode: HTTPStatusCode(answer.status, phrase: ""), headers: headers, body: answer.body)
    }
}
