/// An app's listener to messages and to the connection.
final class SpiderListener: SPReceiveMessageListener, SPConnectionStatusListener {
    private(set) var lines: [String] = []
    private(set) var refreshes = 0
    private(set) var connection: [String] = []

    func onReceived(_ message: SPMessage, left nLeft: Int, object: Any?) {
        lines.append(message.digest ?? message.messageType)
        if nLeft == 0 { refreshes += 1 }
    }

    func onConnecting() { connection.append("connecting") }
    func onConnected() { connection.append("connected") }
    func onOpenDB(_ code: Int) { connection.append("open \(code)") }
    func onDisconnect(_ code: Int, describe: String) { connection.append("disconnected \(code)") }
    func onKickedOffline(_ describe: String) { connection.append("kicked") }
}
