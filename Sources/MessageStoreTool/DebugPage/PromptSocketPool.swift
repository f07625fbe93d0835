internal import FlyingFox
internal import FlyingSocks
internal import Foundation

/// A pool of sockets that send what is written at once.
///
/// An answer's headers and its body are two writes, and the system would keep the second back until the browser has acknowledged the
/// first, which it delays by 40 ms. Connections have the option from the socket that listens, which waits in the pool before
/// there is any.
struct PromptSocketPool<Pool: AsyncSocketPool>: AsyncSocketPool {
    let pool: Pool

    func prepare() async throws { try await pool.prepare() }

    func run() async throws { try await pool.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}
