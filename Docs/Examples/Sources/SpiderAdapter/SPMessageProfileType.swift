import MessageStore

/// Whether messages of a type are stored and counted.
enum SPMessageProfileType: Int, Sendable {
    case notSaveNotCount = 0
    case saveNotCount = 1
    case saveAndCount = 2
    /// Not stored, and dropped where the other side is offline.
    case transparent = 3

    var policy: MessagePolicy {
        switch self {
        case .notSaveNotCount, .transparent: .transient
        case .saveNotCount: .uncounted
        case .saveAndCount: .standard
        }
    }
}
