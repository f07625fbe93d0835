internal import Foundation

/// A socket on this machine alone, closed with the object.
final class ServerSocket: Sendable {
    enum Head: Sendable { case whole(String), tooLong, none }

    /// 0 for a connection.
    let port: UInt16
    private let descriptor: Int32

    /// Listens.
    ///
    /// - Throws: ``ToolError`` if the port is not free.
    init(port: UInt16) throws {
        #if os(Linux)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Self.failure() }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout.size(ofValue: on)))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                guard bind(descriptor, name, size) == 0, listen(descriptor, 16) == 0 else { return errno }
                return getsockname(descriptor, name, &size) == 0 ? 0 : errno
            }
        }
        guard result == 0 else {
            close(descriptor)
            guard result == EADDRINUSE else { throw Self.failure(result) }
            throw ToolError.usage("port \(port) is in use; give another --port, or none for any that is free")
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: address.sin_port)
    }

    private init(_ descriptor: Int32) { (self.descriptor, port) = (descriptor, 0) }

    deinit { close(descriptor) }

    private static func failure(_ number: Int32 = errno) -> ToolError {
        .usage("the page cannot be served: \(String(cString: strerror(number)))")
    }

    /// The next connection; nil if there is none within so many milliseconds.
    func accept(within milliseconds: Int32) -> ServerSocket? {
        guard wait(Int16(POLLIN), milliseconds) else { return nil }
        let connection = systemAccept(descriptor)
        guard connection >= 0 else {
            // No descriptor is left, say.
            usleep(10_000)
            return nil
        }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout.size(ofValue: on)))
        #endif
        return ServerSocket(connection)
    }

    private func wait(_ events: Int16, _ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        var count: Int32
        repeat { count = poll(&entry, 1, milliseconds) } while count < 0 && errno == EINTR
        return count > 0
    }

    /// Waits for bytes up to an empty line.
    func readHead(limit: Int, seconds: Int) -> Head {
        let end = ContinuousClock.now + .seconds(seconds)
        var head: [UInt8] = []
        let mark = Array("\r\n\r\n".utf8)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, wait(Int16(POLLIN), Int32(left / .milliseconds(1)) + 1) else { return .none }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return .none }
            let start = max(0, head.count - mark.count + 1)
            head += buffer[..<count]
            // Only new bytes are looked at, so that the time is proportional to the bytes.
            if let index = (start..<max(start, head.count - mark.count + 1)).first(where: {
                head[$0..<$0 + mark.count].elementsEqual(mark)
            }) {
                return index > limit ? .tooLong : .whole(String(decoding: head[..<index], as: UTF8.self))
            }
            guard head.count <= limit else { return .tooLong }
        }
    }

    /// Sends bytes, and waits a moment until the other side has closed the connection: bytes that it still sends would
    /// discard them.
    func send(_ bytes: Data, seconds: Int) {
        let end = ContinuousClock.now + .seconds(seconds)
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, wait(Int16(POLLOUT), Int32(left / .milliseconds(1)) + 1) else { return }
            let count = bytes.withUnsafeBytes { bytes in
                systemSend(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, flags)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            sent += count
        }
        shutdown(descriptor, Int32(SHUT_WR))
        var buffer = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<64 {
            guard wait(Int16(POLLIN), 200), recv(descriptor, &buffer, buffer.count, 0) > 0 else { return }
        }
    }
}

/// `accept(2)` under a name that does not clash with ``ServerSocket/accept(within:)``.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

/// `send(2)` under a name that does not clash with ``ServerSocket/send(_:seconds:)``.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
