import MessageStore

/// The app's knowledge of users and teams; asked whenever something is drawn, it answers at once.
protocol NIMKitDataProvider {
    func infoByUser(_ userId: String, inSession session: NIMSession?) throws -> NIMKitInfo
    func infoByUser(_ userId: String, withMessage message: Message) throws -> NIMKitInfo
    func infoByTeam(_ teamId: String) throws -> NIMKitInfo
    /// The words of a tip, the grey line in a session; nil of what is none.
    func tipMessage(_ message: Message) throws -> String?
}
