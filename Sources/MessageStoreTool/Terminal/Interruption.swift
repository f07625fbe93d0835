internal import Foundation
internal import Synchronization

/// A signal that asked the process to end while it was at work.
///
/// Long work notices it when it next reports its progress, and ends as it does after an error: its own files are
/// removed, and a rebuild leaves the old rows.
struct Interruption: Error {
    private let number: Int32

    private static let received = Atomic<Int32>(0)
    /// How many pieces of work note signals now.
    private static let noting = Mutex(0)
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Begins to note signals in place of ending at once. The second of a kind ends the process.
    static func beginNoting() {
        noting.withLock { count in
            if count == 0 { note() }
            count += 1
        }
    }

    private static func note() {
        // A process that a dispatch queue of another one started has all signals blocked.
        var all = sigset_t()
        sigemptyset(&all)
        for number in numbers { sigaddset(&all, number) }
        pthread_sigmask(SIG_UNBLOCK, &all, nil)
        // The starter of the process may have wanted it to go on, and a server waits for them in its own way.
        for number in numbers where !isIgnored(number) {
            signal(number) { number in
                Interruption.received.store(number, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
    }

    /// Lets signals end the process at once again.
    static func endNoting() {
        noting.withLock { count in
            count -= 1
            guard count == 0 else { return }
            for number in numbers where !isIgnored(number) { signal(number, SIG_DFL) }
        }
    }

    /// Asks and changes nothing, so that a signal which comes meanwhile is ignored as well.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
        let handler = action.__sa_handler.sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// - Throws: ``Interruption`` if a signal came.
    static func check() throws {
        let number = received.load(ordering: .relaxed)
        if number != 0 { throw Interruption(number: number) }
    }

    /// Ends the process as the signal would have done.
    func end() -> Never {
        signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
    }
}
