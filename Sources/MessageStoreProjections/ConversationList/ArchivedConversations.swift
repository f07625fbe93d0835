/// Which conversations are shown or counted, as to the archive.
///
/// A conversation is put into the archive by `ConversationArchived`.
public enum ArchivedConversations: Hashable, Sendable, CaseIterable {
    /// Those that are not in the archive.
    case excluded
    /// Those that are in the archive, and no others.
    case only
    /// All of them; in a list those in the archive follow the others.
    case included

    func contains(_ isArchived: Bool) -> Bool {
        switch self {
        case .excluded: !isArchived
        case .only: isArchived
        case .included: true
        }
    }
}
