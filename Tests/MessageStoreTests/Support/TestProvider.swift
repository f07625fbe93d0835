import MessageStore
import MessageStoreLMDB

/// A provider that answers as a closure says and notes what it was asked.
final class TestProvider: ProfileProvider {
    struct Refused: Error {}

    private let asked = Locked<[[UserID]]>([])
    private let answer: @Sendable (_ users: [UserID], _ call: Int) async throws -> [Profile]

    init(_ answer: @escaping @Sendable (_ users: [UserID], _ call: Int) async throws -> [Profile]) {
        self.answer = answer
    }

    /// Knows everybody, by a name made of the id and the number of the call.
    convenience init() {
        self.init { users, call in users.map { Profile(id: $0, name: "\($0) \(call)") } }
    }

    /// The users of each call.
    var calls: [[UserID]] { asked.withLock { $0 } }

    func profiles(for users: [UserID]) async throws -> [Profile] {
        let call = asked.withLock { calls in
            calls.append(users)
            return calls.count
        }
        return try await answer(users, call)
    }
}

/// A gate at which tasks wait until it is opened.
final class TestGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
