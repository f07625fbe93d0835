/// A user of the app. The wire knows the client id alone.
struct LCCKUser: Sendable, Equatable {
    var userId: String?
    var name: String?
    var avatarURL: String?
    var clientId: String
}
