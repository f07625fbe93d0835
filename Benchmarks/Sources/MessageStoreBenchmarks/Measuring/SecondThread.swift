internal import Dispatch
internal import Synchronization

/// What a second thread is worth on this machine: virtual processors may share one core.
enum SecondThread {
    /// The work that two threads do in a time, against that of one: 2 where processors share nothing. Takes half a second.
    static let worth: Double = {
        let rounds = (0..<3).map { _ in work(threads: 2) / work(threads: 1) }
        return Spread(rounds).median
    }()

    static var note: String {
        "Two threads that hash bytes do \(Markdown.number(worth)) times the work of one on this machine."
    }

    /// Passes over a megabyte a second, of all threads.
    private static func work(threads: Int) -> Double {
        let passes = Atomic(0)
        let seconds = Stopwatch.seconds {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                let words = [UInt64](repeating: UInt64(thread) &+ 0x9E37_79B9_7F4A_7C15, count: 1 << 17)
                let start = Flushes.now
                var hash: UInt64 = 0
                repeat {
                    for word in words { hash = (hash ^ word) &* 0x0000_0100_0000_01B3 }
                    passes.add(1, ordering: .relaxed)
                } while Flushes.now - start < 80_000_000
                precondition(hash != 0)
            }
        }
        return Double(passes.load(ordering: .relaxed)) / seconds
    }
}
