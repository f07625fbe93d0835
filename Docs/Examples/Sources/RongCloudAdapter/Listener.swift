/// An app's listener: notes what it is told, and refreshes its list as the document advises.
final class Listener: RCIMClientReceiveMessageDelegate {
    private(set) var messages = 0
    private(set) var offlineMessages = 0
    private(set) var kinds: [RCConversationType] = []
    /// The first advice: whenever no message of a package is left.
    private(set) var refreshesByPackage = 0
    /// The second: when no package and no message is left.
    private(set) var refreshesByCompletion = 0
    private(set) var completions = 0

    func onReceived(_ message: RCMessage, left nLeft: Int, object: Any?) {
        messages += 1
        if nLeft == 0 { refreshesByPackage += 1 }
    }

    func onReceived(_ message: RCMessage, left nLeft: Int, object: Any?, offline: Bool, hasPackage: Bool) {
        if offline {
            offlineMessages += 1
            if !hasPackage && nLeft == 0 { refreshesByCompletion += 1 }
        } else {
            kinds.append(message.conversationType)
        }
    }

    func onOfflineMessageSyncCompleted() { completions += 1 }
}
