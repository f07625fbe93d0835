/// A part of the conversation list, in the order of the list; each is ordered by activity.
enum ListRank: UInt8, CaseIterable {
    case pinned, other, pinnedArchived, otherArchived

    init(isPinned: Bool, isArchived: Bool) {
        self =
            switch (isArchived, isPinned) {
            case (false, true): .pinned
            case (false, false): .other
            case (true, true): .pinnedArchived
            case (true, false): .otherArchived
            }
    }

    var isArchived: Bool { self == .pinnedArchived || self == .otherArchived }
}
