internal import MessageStoreLMDB

/// The strings that the numbers of a damaged log name, from either of its two tables.
struct SalvagedNames {
    private struct Name {
        var bytes: [UInt8]
        /// Whether a checksum vouches for it; then the `standing` of its page.
        var rank: (isProven: Bool, standing: PageSalvage.Standing)
    }

    private var names: [SymbolSpace: [UInt32: Name]] = [:]
    /// The numbers that records name.
    private var named: [SymbolSpace: Set<UInt32>] = [:]
    /// The highest number of each kind that can be.
    private var highest: [SymbolSpace: UInt32] = [:]

    var isEmpty: Bool { names.isEmpty }

    /// The name of a number for which a checksum vouches.
    func proven(_ space: SymbolSpace, _ number: UInt32) -> [UInt8]? {
        guard let name = names[space]?[number], name.rank.isProven else { return nil }
        return name.bytes
    }

    /// The names of a kind, by number.
    func all(_ space: SymbolSpace) -> [PendingSymbols.Entry] {
        let names = names[space, default: [:]]
        return names.keys.sorted().map { .init(space: space, number: $0, bytes: names[$0]?.bytes ?? []) }
    }

    /// Sets the store's account, who is the first user.
    mutating func set(_ account: UserID) {
        names[.user, default: [:]][1] = Name(bytes: account.symbolBytes, rank: (true, .live))
    }

    /// Takes an entry of a leaf page, if it is one of a table of symbols.
    mutating func note(_ key: RawSpan, _ value: RawSpan, _ standing: PageSalvage.Standing) {
        guard let first = key.load(at: 0, as: UInt8.self), let space = SymbolSpace(rawValue: first) else { return }
        if key.byteCount == 5, let number = key.loadBigEndian(at: 1, as: UInt32.self),
            let checksum = value.load(at: 0, as: UInt64.self)
        {
            let name = value.extracting(8..<value.byteCount)
            if checksum == SymbolTable.checksum(space, number, name) {
                return take(space, number, Name(bytes: name.copied, rank: (true, standing)))
            }
        }
        guard space.isOfRecords, value.byteCount == 4,
            let number = value.load(at: 0, as: UInt32.self), number > 0
        else { return }
        let name = key.extracting(1..<key.byteCount).copied
        if Self.isPlausible(space, name) { take(space, number, Name(bytes: name, rank: (false, standing))) }
    }

    /// Takes a symbol of the journal, for which the frame's checksum vouches.
    mutating func note(_ symbol: PendingSymbols.Entry) {
        take(symbol.space, symbol.number, Name(bytes: symbol.bytes, rank: (true, .live)))
    }

    /// Takes the numbers that a record names.
    mutating func note(_ record: RecordView) {
        record.forEachSymbolNumber { named[$0, default: []].insert($1) }
    }

    /// Forgets numbers that cannot be, because they are dense and each that is missing costs a placeholder: numbers far
    /// beyond the known ones, and without a checksum numbers that no record names and no missing name explains.
    mutating func forgetImplausible(events: Int) {
        for space in SymbolSpace.ofRecords {
            let known = names[space, default: [:]]
            let limit = UInt32(clamping: 1 << 16 + 2 * (known.count + named[space, default: []].count) + events)
            let proven = known.filter { $0.value.rank.isProven && $0.key <= limit }
            let likely = Int(proven.keys.max() ?? 0) + known.count - proven.count
            names[space] = known.filter { number, name in
                guard number <= limit else { return false }
                return name.rank.isProven || number <= likely || named[space]?.contains(number) == true
            }
            highest[space] = limit
        }
    }

    /// Whether a record names no number that cannot be; one that does was forged.
    func isPlausible(_ record: RecordView) -> Bool {
        var isPlausible = true
        record.forEachSymbolNumber { isPlausible = isPlausible && $1 <= highest[$0] ?? .max }
        return isPlausible
    }

    private mutating func take(_ space: SymbolSpace, _ number: UInt32, _ name: Name) {
        if let known = names[space]?[number] {
            if known.rank.isProven != name.rank.isProven {
                if known.rank.isProven { return }
            } else if known.rank.standing >= name.rank.standing {
                return
            }
        }
        names[space, default: [:]][number] = name
    }

    private static func isPlausible(_ space: SymbolSpace, _ name: [UInt8]) -> Bool {
        guard space == .conversation else {
            return (1...255).contains(name.count) && String(validating: name, as: UTF8.self) != nil
        }
        return ConversationKey(symbolBytes: name).map { $0.symbolBytes == name && !$0.id.isEmpty } ?? false
    }

    /// Every number of a kind up to the highest that has a name or is named by a record, each with a name of its own.
    ///
    /// - Parameters:
    ///   - highest: The highest number that records name.
    ///   - chatRooms: The conversations that events of chat rooms name.
    func complete(
        _ space: SymbolSpace, upTo highest: UInt32, chatRooms: Set<UInt32>
    ) -> [(symbol: PendingSymbols.Entry, isReplaced: Bool)] {
        let last = max(highest, names[space, default: [:]].keys.max() ?? 0)
        guard last > 0 else { return [] }
        // If two claim one name, the proven one has it.
        var owners: [[UInt8]: UInt32] = [:]
        for name in all(space) {
            if owners[name.bytes] == nil || proven(space, name.number) != nil { owners[name.bytes] = name.number }
        }
        return (1...last).map { number in
            if let name = names[space]?[number]?.bytes, owners[name] == number {
                return (.init(space: space, number: number, bytes: name), false)
            }
            var text = "lost-\(space)-\(number)"
            while owners[Self.placeholder(space, text, number, chatRooms)] != nil { text += "-" }
            let bytes = Self.placeholder(space, text, number, chatRooms)
            return (.init(space: space, number: number, bytes: bytes), true)
        }
    }

    private static func placeholder(
        _ space: SymbolSpace, _ text: String, _ number: UInt32, _ chatRooms: Set<UInt32>
    ) -> [UInt8] {
        guard space == .conversation else { return Array(text.utf8) }
        return ConversationKey(chatRooms.contains(number) ? .chatRoom : .group, text).symbolBytes
    }
}
