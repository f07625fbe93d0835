/// What is shown of a user or a team.
struct NIMKitInfo: Sendable, Equatable {
    var infoId: String
    /// The id, until the name is known.
    var showName: String
    var avatarUrlString: String?
}
