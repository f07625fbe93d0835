/// Listens to the connection.
protocol SPConnectionStatusListener: AnyObject {
    func onConnecting()
    func onConnected()
    /// - Parameter code: 0 where the account's store is open.
    func onOpenDB(_ code: Int)
    func onDisconnect(_ code: Int, describe: String)
    func onKickedOffline(_ describe: String)
}

extension SPConnectionStatusListener {
    func onConnecting() {}
    func onConnected() {}
    func onOpenDB(_ code: Int) {}
    func onDisconnect(_ code: Int, describe: String) {}
    func onKickedOffline(_ describe: String) {}
}
