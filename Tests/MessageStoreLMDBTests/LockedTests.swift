import Foundation
import MessageStoreLMDB
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Locked values` {
    struct Refusal: Error {}

    @Test func `changes of many threads are all kept, and a thrown error lets go of the lock`() {
        let counter = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<5000 { counter.withLock { $0 += 1 } }
        }
        #expect(counter.withLock { $0 } == 40_000)
        let value = Locked(0)
        #expect(throws: Refusal.self) { try value.withLock { _ in throw Refusal() } }
        #expect(throws: Refusal.self) { try value.signal { _ in throw Refusal() } }
        #expect(throws: Refusal.self) { try value.waitUntil({ _ in true }, then: { _ in throw Refusal() }) }
        #expect(value.withLock { $0 } == 0)
    }

    @Test func `a waiting thread wakes when the value is ready`() throws {
        let value = Locked(0)
        Thread.detachNewThread {
            for _ in 0..<100 { value.signal { $0 += 1 } }
        }
        let seen = value.waitUntil({ $0 >= 100 }) { value in
            defer { value = -1 }
            return value
        }
        #expect(seen == 100)
        #expect(value.withLock { $0 } == -1)
    }

    @Test func `what is locked is released with the lock`() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        do {
            let locked = Locked(Witness())
            witness = locked.withLock { $0 }
            #expect(witness != nil)
        }
        #expect(witness == nil)
    }
}
