/// Listens to received messages. An app implements one of the two methods for messages, or both.
protocol RCIMClientReceiveMessageDelegate: AnyObject {
    /// - Parameter nLeft: How many messages of the package are still to come.
    func onReceived(_ message: RCMessage, left nLeft: Int, object: Any?)
    /// - Parameters:
    ///   - nLeft: How many messages of the package are still to come.
    ///   - offline: Whether it came while the account was offline.
    ///   - hasPackage: Whether the server has more packages.
    func onReceived(_ message: RCMessage, left nLeft: Int, object: Any?, offline: Bool, hasPackage: Bool)
    /// Everything that came while the account was offline was received; also where that was nothing.
    func onOfflineMessageSyncCompleted()
}

extension RCIMClientReceiveMessageDelegate {
    func onReceived(_ message: RCMessage, left nLeft: Int, object: Any?) {}
    func onReceived(_ message: RCMessage, left nLeft: Int, object: Any?, offline: Bool, hasPackage: Bool) {}
    func onOfflineMessageSyncCompleted() {}
}
