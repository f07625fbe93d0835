import MessageStore

/// A module that hears of the connection and of messages, and need not keep a connection itself.
protocol SPPlugin: AnyObject, Sendable {
    func onLogin(_ appkey: String, userId: String)
    /// - Returns: Whether the plug-in dealt with it.
    func onReceivedMessage(_ message: SPMessage) -> Bool
    func onConnectionStatusChanged(_ status: SessionState)
}
