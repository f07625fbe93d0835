import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("The page's server", .tool, .timeLimit(.minutes(30)))
struct DebugServerTests {
    init() throws {
        try place.importLines([logLine("hello", id: "m1", time: "1000")])
    }

    /// A connection to a served page.
    private final class Connection {
        private let descriptor: Int32

        init(_ port: UInt16) throws {
            #if os(Linux)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let size = socklen_t(MemoryLayout.size(ofValue: address))
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
            }
            try #require(result == 0)
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            #if os(Linux)
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            #else
            _ = Darwin.send(descriptor, bytes, bytes.count, 0)
            #endif
        }

        /// Everything until the other side closes.
        func answer() -> String {
            var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
            while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { answer += buffer[..<count] }
            return String(decoding: answer, as: UTF8.self)
        }
    }

    private static func status(_ port: UInt16, _ request: String) throws -> String {
        let connection = try Connection(port)
        connection.send(request)
        return String(connection.answer().prefix { $0 != "\r\n" })
    }

    private func withPage(_ body: (_ port: UInt16, _ path: String) throws -> Void) throws {
        let page = try ServedPage([place.store])
        let url = try #require(URL(string: page.address))
        try body(UInt16(try #require(url.port)), url.path + "/")
        #expect(page.interrupt() == 0)
    }

    @Test("long lines, slow clients and many connections do not keep others from their answers")
    func limits() async throws {
        let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
        let server = try DebugServer(store, port: 0, headSeconds: 2)
        let (addresses, ready) = AsyncStream<String>.makeStream()
        let running = Task { try await server.run { ready.yield($0) } }
        let url = try #require(URL(string: await addresses.first { _ in true } ?? ""))
        let port = UInt16(try #require(url.port))
        // A thread of its own waits: the server answers on the pool's.
        let answers = try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread { done.resume(with: Result { try Self.answers(port, url.path + "/") }) }
        }
        #expect(answers == ["HTTP/1.1 200 ", "HTTP/1.1 431 ", "HTTP/1.1 200 ", "", "HTTP/1.1 200 "])
        running.cancel()
        try await running.value
        await server.close()
        try await store.close()
    }

    /// What the server answers to a client before and after long requests, to a long one, to those who say no more, and
    /// after those.
    private static func answers(_ port: UInt16, _ path: String) throws -> [String] {
        let ask = "GET \(path)info HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        let long = "GET /" + String(repeating: "x", count: 1 << 20)
        var answers = [try status(port, ask)]
        let clients = try (0..<3).map { _ in try Connection(port) }
        clients.forEach { $0.send(long) }
        answers.append(try status(port, long + " HTTP/1.1\r\n\r\n"))
        answers.append(try status(port, ask))
        let slow = try (0..<40).map { _ in try Connection(port) }
        slow.forEach { $0.send("GET /") }
        // They are closed at once, where there are too many, or after their time.
        answers.append(slow.map { $0.answer() }.joined())
        answers.append(try status(port, ask))
        return answers
    }

    @Test("what is no request for a page is refused, and two names are none")
    func malformed() throws {
        try withPage { port, path throws in
            let host = "Host: 127.0.0.1:\(port)\r\n"
            for (head, status) in [
                ("GET \(path) HTTP/1.1\r\n" + host, 200), ("GET \(path) HTTP/1.1\r\n" + host + host, 403),
                ("GET \(path) HTTP/1.1\r\n", 403), ("POST \(path) HTTP/1.1\r\n" + host, 405),
                ("GET http://127.0.0.1:\(port)\(path) HTTP/1.1\r\n" + host, 400), ("GET\r\n", 400),
                ("GET \(path)none HTTP/1.1\r\n" + host, 404), ("GET /other/ HTTP/1.1\r\n" + host, 404),
            ] { #expect(try Self.status(port, head + "\r\n").hasPrefix("HTTP/1.1 \(status)"), "\(head)") }
        }
    }
}
