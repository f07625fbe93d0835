import Dispatch
@testable import MessageStore

extension MessageStore {
    /// Waits until a condition holds, which is looked at whenever something was recorded, became durable or was rebuilt;
    /// the end of the store ends it.
    func wait(until condition: () throws -> Bool) async rethrows {
        while true {
            let generation = signal.generation
            guard try !condition(), await signal.wait(after: generation) else { return }
        }
    }

    /// Lets what is due disappear, and waits for it.
    func expireNow() {
        lookForExpired(isNew: false)
        waitForExpiry()
    }

    /// Waits for a look at what is due, and for the one that follows deletions, which would meet a clock that was moved
    /// meanwhile.
    func waitForExpiry() { for _ in 0..<2 { expirer.queue.sync {} } }

    /// Lets tasks go on where nothing signals that they did: those that the store may have started wrongly, so that a fault
    /// may be missed and nothing else, and looks for what is due, which come one after the other.
    static func letOthersRun() async { for _ in 0..<200 { await Task.yield() } }
}
