@testable import MessageStore

extension MessageStore {
    /// Waits until a condition holds, which is looked at whenever something was recorded, became durable or was rebuilt;
    /// the end of the store ends it.
    func wait(until condition: () throws -> Bool) async rethrows {
        while true {
            let generation = tailWaiters.generation
            guard try !condition(), await tailWaiters.wait(after: generation) else { return }
        }
    }

    /// Lets tasks go on that the store may have started wrongly. No event comes after those that must not be there, so a
    /// fault may be missed, and nothing else.
    static func letOthersRun() async { for _ in 0..<200 { await Task.yield() } }
}
