@_spi(Storage) internal import MessageStoreLog

/// How the later changes of one user apply to a number of reactions that a server reported: a user who was in it
/// already does not raise it by giving the reaction again, and one who was not does not lower it.
struct ReactionBase: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["wasGiven", "isCounted"]
        /// The user had given it before the earliest change that is known.
        static let wasGiven = Flags(rawValue: 1)
        /// The row is no change: it says what was known when the server reported the number without this user.
        static let isCounted = Flags(rawValue: 2)
    }

    var flags: Flags = []
    /// When the earliest change was that is known.
    var since: Int64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("flags", &flags)
        parts.part("since", &since, .time)
    }
}

/// A row of a reaction and a user.
typealias ReactionRow = LatestValue<ReactionBase>

extension LatestValue where Value == ReactionBase {
    /// The first change that is known of a user: who takes a reaction back had given it, who gives it had not.
    init(change event: RecordView) {
        self.init(isSet: event.type == .reactionAdded, by: event)
        value.flags[.wasGiven] = !isSet
        value.since = time
    }

    /// Whether the user is one of those who are known to give the reaction.
    var isGiven: Bool { isSet && !value.flags[.isCounted] }

    /// Takes in another change of the user; of two of one time the later in the log comes last.
    mutating func note(_ change: Self) {
        if change.time < value.since { value = change.value }
        guard change.time >= time else { return }
        (isSet, time, position) = (change.isSet, change.time, change.position)
        value.flags[.isCounted] = false
    }

    /// Takes in the changes that were recorded under another id: the earliest of all says what was before, the latest
    /// what is.
    mutating func join(_ other: Self) {
        let first = other.value.since < value.since ? other.value : value
        let isLater =
            isEarlier(than: other)
            // One and the same set of all reactions counts the user under this id and names the user under the other.
            || !other.isEarlier(than: self) && value.flags[.isCounted]
        if isLater { self = other }
        let isCounted = value.flags[.isCounted]
        value = first
        value.flags[.isCounted] = isCounted
    }

    /// The rest of a row when a server reports all reactions as of a time that is not before its earliest change.
    ///
    /// - Parameters:
    ///   - set: As of when, and where.
    ///   - countsOthers: Whether the number of the reaction counts users who are not named.
    func replaced(by set: LatestValue<NoValue>, countsOthers: Bool) -> Self? {
        var row = self
        if time > set.time {
            (row.value.flags, row.value.since) = (isSet ? [] : .wasGiven, time)
            return row
        }
        guard countsOthers else { return nil }
        (row.time, row.position) = (set.time, set.position)
        (row.value.flags, row.value.since) = (isSet ? [.isCounted, .wasGiven] : .isCounted, set.time)
        return row
    }

    /// By how much the user's changes raise the reported number.
    ///
    /// - Parameters:
    ///   - set: As of when it was reported, and where.
    ///   - isNamed: Whether the user was named with it.
    func change(since set: LatestValue<NoValue>, isNamed: Bool) -> Int {
        guard (time, position) > (set.time, set.position) else { return 0 }
        return (isSet ? 1 : 0) - (isNamed || value.flags[.wasGiven] ? 1 : 0)
    }
}
