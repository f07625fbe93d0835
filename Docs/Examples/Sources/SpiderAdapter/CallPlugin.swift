import MessageStore
import Synchronization

/// A plug-in of a module for calls: notes what it hears, and deals with signals of calls.
final class CallPlugin: SPPlugin {
    private let notes = Mutex<[String]>([])

    /// What it heard, in order.
    var heard: [String] { notes.withLock { $0 } }

    func onLogin(_ appkey: String, userId: String) { note("login \(userId)") }

    func onReceivedMessage(_ message: SPMessage) -> Bool {
        let text = (message.content as? SPTextMessage)?.text ?? (message.content as? CallSignal)?.step
        note(text ?? message.messageType)
        return message.content is CallSignal
    }

    func onConnectionStatusChanged(_ status: SessionState) { note("\(status)") }

    private func note(_ text: String) { notes.withLock { $0.append(text) } }
}
