import MessageStore
import Synchronization

/// The sending side of a server in memory: gives messages ids and times, and fails where the script says so.
package final class ScriptedServer: Sendable {
    /// What becomes of a message that is sent.
    package enum Outcome: Sendable {
        case accepted
        /// The server refuses it with a code.
        case refused(Int32)
        /// The server takes it, and its answer is lost.
        case answerLost
    }

    /// The server's answer.
    package struct Receipt: Sendable, Equatable {
        package let id: String
        package let time: Timestamp
    }

    /// Why a message was not acknowledged.
    package struct Refusal: Error, Equatable {
        /// The server's code, or 408 where no answer came.
        package let code: Int32

        /// Creates a refusal of a server's own.
        package init(code: Int32) { self.code = code }
    }

    private struct State {
        var outcomes: [Outcome] = []
        var receipts: [ClientToken: Receipt] = [:]
        var messages = 0
    }

    /// The server's clock.
    package let clock = ServerClock()
    private let state = Mutex(State())

    /// Creates a server that accepts everything.
    package init() {}

    /// What becomes of the next messages; those after them are accepted.
    package func script(_ outcomes: Outcome...) {
        state.withLock { $0.outcomes += outcomes }
    }

    /// An id and a time for a message of somebody else.
    package func stamp() -> Receipt {
        let time = clock.next()
        return state.withLock { state in
            state.messages += 1
            return Receipt(id: "m\(state.messages)", time: time)
        }
    }

    /// Takes a message. One that was taken before, by its token, is the same message.
    ///
    /// - Parameter deliver: What the server does with a new message, once.
    package func send(
        token: ClientToken, deliver: (Receipt) -> Void = { _ in }
    ) throws(Refusal) -> Receipt {
        let (outcome, known) = state.withLock { state in
            (state.outcomes.isEmpty ? Outcome.accepted : state.outcomes.removeFirst(), state.receipts[token])
        }
        if case .refused(let code) = outcome { throw Refusal(code: code) }
        let receipt = known ?? stamp()
        if known == nil {
            state.withLock { $0.receipts[token] = receipt }
            deliver(receipt)
        }
        if case .answerLost = outcome { throw Refusal(code: 408) }
        return receipt
    }
}
