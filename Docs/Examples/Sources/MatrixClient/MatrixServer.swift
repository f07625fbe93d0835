import Foundation
import MessageStore
import MessageStoreMatrix

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A homeserver, called by the Matrix client-server API.
struct MatrixServer: Sendable {
    enum Method: String { case get = "GET", put = "PUT", post = "POST" }

    /// The longest answer that is read, in bytes.
    private static let longestAnswer = 64 << 20

    /// The server's address, such as `https://matrix.example`.
    let address: String
    private let token: String?
    private let session: URLSession

    /// A server, called by who signed in to it or, without a token, by nobody.
    init(_ address: String, token: String? = nil, _ configuration: URLSessionConfiguration = .ephemeral) throws {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
            throw MatrixError.invalidAddress
        }
        self.address = String(address.reversed().drop { $0 == "/" }.reversed())
        self.token = token
        session = URLSession(configuration: configuration)
    }

    /// Calls the server and returns the object that it answers with.
    ///
    /// - Parameter path: Parts of the path after `/_matrix/client/`, which may have any characters.
    func call(
        _ method: Method, _ path: [String], query: [String: String] = [:], body: JSONValue? = nil,
        timeout: Duration = .seconds(30)
    ) async throws -> JSONValue {
        let request = try request(method, path, query, body, timeout)
        let answer: (data: Data, response: URLResponse)
        do {
            answer = try await session.data(for: request)
        } catch {
            try Task.checkCancellation()
            throw MatrixError.unreachable
        }
        let status = (answer.response as? HTTPURLResponse)?.statusCode ?? 0
        guard answer.data.count <= Self.longestAnswer else { throw MatrixError.invalidAnswer(field: "length") }
        let value = try? MatrixJSON(answer.data).value
        guard status == 200 else { throw Self.error(status, value) }
        guard let value, case .object = value else { throw MatrixError.invalidAnswer(field: "answer") }
        return value
    }

    private func request(
        _ method: Method, _ path: [String], _ query: [String: String], _ body: JSONValue?, _ timeout: Duration
    ) throws -> URLRequest {
        var text = address + "/_matrix/client/" + path.map(Self.escaped).joined(separator: "/")
        let pairs = query.sorted { $0.key < $1.key }.map { Self.escaped($0.key) + "=" + Self.escaped($0.value) }
        if !pairs.isEmpty { text += "?" + pairs.joined(separator: "&") }
        guard let url = URL(string: text) else { throw MatrixError.invalidAddress }
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        request.timeoutInterval = TimeInterval(timeout.components.seconds)
        if let token { request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        return request
    }

    private static func error(_ status: Int, _ answer: JSONValue?) -> MatrixError {
        if status == 429 { return .busy(retryAfterMs: answer?["retry_after_ms"]?.integer) }
        // Too large, as proxies say, will not pass by waiting.
        if status == 413 || status == 414 { return .refused(status: status, code: "M_TOO_LARGE") }
        // Without a Matrix error it is not this server that answers, but a proxy in front of it.
        guard let code = answer?["errcode"]?.string, status < 500 else { return .busy(retryAfterMs: nil) }
        if status == 401 { return .signedOut }
        return .refused(status: status, code: String(decoding: code.utf8.prefix(64), as: UTF8.self))
    }

    private static func escaped(_ part: String) -> String {
        let plain = CharacterSet(charactersIn: "-._~").union(.alphanumerics).intersection(Self.ascii)
        return part.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private static let ascii = CharacterSet(charactersIn: "!"..."~")
}
