import Foundation
import Synchronization

@testable import MatrixClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server whose answers are a test's: what no honest server sends, and what one of another clock sends.
final class ScriptedServer: URLProtocol {
    /// Answers by host, each by the part of the path and query that asks for it.
    private static let answers = Mutex<[String: [String: String]]>([:])

    /// The paths and queries that were asked for, by host.
    private static let calls = Mutex<[String: [String]]>([:])

    /// A server with answers of its own; a call without one is answered by 404, and one whose answer is a number by that.
    static func server(_ answers: [String: String]) throws -> MatrixServer {
        let host = "test-\(UUID().uuidString.lowercased())"
        Self.answers.withLock { $0[host] = answers }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ScriptedServer.self]
        return try MatrixServer("http://" + host, configuration)
    }

    /// What a server was asked for.
    static func calls(of server: MatrixServer, with part: String) -> [String] {
        let host = URL(string: server.address)?.host ?? ""
        return calls.withLock { $0[host] ?? [] }.filter { $0.contains(part) }
    }

    override static func canInit(with request: URLRequest) -> Bool { true }
    override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url else { return }
        Self.calls.withLock { $0[url.host ?? "", default: []].append(url.absoluteString) }
        let answer = Self.answers.withLock { answers in
            // The longest part is the most exact one.
            answers[url.host ?? ""]?.filter { url.absoluteString.contains($0.key) }
                .max { $0.key.utf8.count < $1.key.utf8.count }?.value
        }
        let status = answer == nil ? 404 : answer.flatMap(Int.init) ?? 200
        if let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil) {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        client?.urlProtocol(self, didLoad: Data((answer ?? #"{"errcode":"M_NOT_FOUND"}"#).utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}
