/// Listens to received messages.
protocol SPReceiveMessageListener: AnyObject {
    /// - Parameter nLeft: How many messages of the package are still to come.
    func onReceived(_ message: SPMessage, left nLeft: Int, object: Any?)
}
