internal import Foundation
internal import MessageStoreLMDB

/// Serves the page on this machine alone: reads GET requests, one for each connection, and answers them.
///
/// Whoever reaches the port can open connections, also a web page elsewhere, so a request has limits of size, time and
/// number.
struct DebugServer {
    /// Bytes of a request's line and headers.
    static let greatestHead = 16 << 10
    /// Connections at a time; others are closed at once.
    static let greatestConnections = 32

    private let listener: ServerSocket
    private let session: DebugSession
    private let connections = Locked(0)
    private let headSeconds: Int

    /// - Parameters:
    ///   - store: The store, open for reading.
    ///   - port: The port; 0 for any that is free.
    ///   - headSeconds: The seconds within which a request's line and headers come.
    /// - Throws: ``ToolError`` if the port is not free.
    init(_ store: MessageStore, port: UInt16, headSeconds: Int = 10) throws {
        self.headSeconds = headSeconds
        listener = try ServerSocket(port: port)
        session = try DebugSession(store)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: Called with the page's address when it can be opened.
    func run(ready: @Sendable (String) throws -> Void) async throws {
        let token = DebugSite.makeToken()
        let site = DebugSite(session: session, token: token, port: listener.port)
        try ready("http://127.0.0.1:\(listener.port)/\(token)/")
        let isEnded = Locked(false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Threads of their own wait, since a pool has few of them, and a silent connection would hold one.
                Thread.detachNewThread {
                    while !isEnded.withLock({ $0 }) {
                        if let connection = listener.accept(within: 100) { serve(connection, site) }
                    }
                    continuation.resume()
                }
            }
        } onCancel: {
            isEnded.withLock { $0 = true }
        }
    }

    private func serve(_ connection: ServerSocket, _ site: DebugSite) {
        let isTaken = connections.withLock { count in
            guard count < Self.greatestConnections else { return false }
            count += 1
            return true
        }
        guard isTaken else { return }
        Thread.detachNewThread {
            let head = connection.readHead(limit: Self.greatestHead, seconds: headSeconds)
            Task {
                let answer: DebugAnswer? =
                    switch head {
                    case .whole(let text):
                        if let request = DebugRequest(head: text) {
                            await site.answer(request)
                        } else {
                            .refusal(400, "this is no request for a page")
                        }
                    case .tooLong: .refusal(431, "the request is too long")
                    case .none: nil
                    }
                Thread.detachNewThread {
                    if let answer { connection.send(answer.bytes, seconds: headSeconds) }
                    connections.withLock { $0 -= 1 }
                }
            }
        }
    }

    /// Ends the work in the background, and waits until it has let go of its temporary files.
    func close() async { await session.close() }
}

extension DebugRequest {
    /// Reads the line and the headers of a request; nil if it is none.
    init?(head: String) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard words.count == 3, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/1.") else { return nil }
        let hosts = lines.dropFirst().compactMap { line -> String? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "host" else { return nil }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
        method = String(words[0])
        host = hosts.count == 1 ? hosts[0] : nil
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = target[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            $0.removingPercentEncoding ?? String($0)
        }
        let pairs = (target.count > 1 ? target[1] : "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                part.replacing("+", with: " ").removingPercentEncoding ?? String(part)
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        parameters = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension DebugAnswer {
    /// The answer as it is sent, whole.
    fileprivate var bytes: Data {
        var head = "HTTP/1.1 \(status) \r\nConnection: close\r\n"
        head += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in Self.headers { head += "\(name): \(value)\r\n" }
        if status == 405 { head += "Allow: GET\r\n" }
        return Data((head + "\r\n").utf8) + body
    }
}
