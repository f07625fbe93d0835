@_spi(Storage) internal import MessageStoreLog

/// A part of a row or a key, with a value that can be compared and put in words.
struct RowPartText: Equatable {
    let name: String
    let value: RowText
}

/// A value of a row or a key, before it is put in words.
enum RowText: Equatable {
    /// Words that say nothing of a person.
    case plain(String)
    /// A person's words, such as a name; only their length is shown unless they are asked for.
    case personal(String, byteCount: Int)
    /// Milliseconds since 1970.
    case time(Int64)
    /// A user, as a number of the log's symbols.
    case user(UInt32)
    /// A conversation, as a number of the log's symbols.
    case conversation(UInt32)
    /// A content type, as a number of the log's symbols.
    case contentType(UInt32)
    /// A place in a conversation's order.
    case order(OrderKey)

    /// The text of a number that means something.
    init(_ number: some FixedWidthInteger, _ words: String, _ meaning: RowMeaning) {
        self =
            switch meaning {
            case .time: .time(Int64(truncatingIfNeeded: number))
            case .user: .user(UInt32(truncatingIfNeeded: number))
            case .conversation: .conversation(UInt32(truncatingIfNeeded: number))
            case .contentType: .contentType(UInt32(truncatingIfNeeded: number))
            case .kind: .plain(ConversationKind(rawValue: UInt8(truncatingIfNeeded: number)).description)
            case .level:
                .plain(NotificationLevel(rawValue: UInt8(truncatingIfNeeded: number)).map { "\($0)" } ?? words)
            case .plain, .order, .serverID, .length, .id, .words, .hash: .plain(words)
            }
    }

    /// The value in words. A number that names nothing is shown as it is.
    ///
    /// - Parameter hasContent: Whether to show words of people, or their length.
    func words(_ symbols: SymbolTable, hasContent: Bool = false) -> String {
        switch self {
        case .plain(let words): words
        case .personal(let text, let byteCount): hasContent ? "\"\(text)\"" : "\(byteCount) bytes"
        case .time(let time): time == .max ? "unknown" : time == 0 ? "none" : "\(Timestamp(milliseconds: time))"
        case .user(let number): name(number) { try symbols.user($0).rawValue }
        case .conversation(let number): name(number) { try symbols.conversation($0).description }
        case .contentType(let number): name(number) { try symbols.contentType($0).rawValue }
        case .order(let order): order.words
        }
    }

    private func name(_ number: UInt32, _ resolve: (UInt32) throws -> String) -> String {
        number == 0 ? "none" : (try? resolve(number)) ?? "number \(number)"
    }
}

extension OrderKey {
    /// A place in words: the time, then the message that is there.
    fileprivate var words: String {
        let order = bytes.span.bytes
        if isEmpty { return "none" }
        guard isComplete else { return order.hexadecimal }
        let rest = order.extracting(Self.timeBytes..<order.byteCount)
        if Self.isUnsent(order) { return rest.loadBigEndian(at: 0, as: UInt64.self).map { "unsent \($0)" } ?? "end" }
        let time = Timestamp(milliseconds: Int64(Self.time(of: order)))
        switch rest.load(at: 0, as: UInt8.self) {
        case nil: return time.description
        case Self.afterAllIDs: return "\(time) end"
        case Self.afterServerIDs: return "\(time) local \(rest.loadBigEndian(at: 1, as: UInt64.self) ?? 0)"
        default: return "\(time) \(rest.string)"
        }
    }
}

/// Collects the parts of a row.
struct RowTexts: RowParts {
    private(set) var texts: [RowPartText] = []

    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        if case .length = meaning { return }
        add(name, RowText(value.stored, value.words, meaning))
    }

    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        part(name, &value, meaning)
    }

    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {
        switch meaning {
        case .order: add(name, .order(OrderKey(value)))
        case .serverID, .id: add(name, .plain(String(decoding: value, as: UTF8.self)))
        case .words: add(name, .personal(String(decoding: value, as: UTF8.self), byteCount: value.count))
        case .hash: add(name, .plain(value.span.bytes.hexadecimal))
        default: add(name, .personal(value.span.bytes.hexadecimal, byteCount: value.count))
        }
    }

    mutating func string(_ name: StaticString, _ value: inout String) {
        add(name, .personal(value, byteCount: value.utf8.count))
    }

    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        add(name, kind.words(value) ?? .plain("none"))
    }

    mutating func continues(_ hasMore: Bool) -> Bool { hasMore }

    private mutating func add(_ name: StaticString, _ value: RowText) {
        texts.append(RowPartText(name: name.description, value: value))
    }
}

extension ViewRow {
    /// The parts of a row; nil for bytes that are no such row.
    static func texts(of bytes: RawSpan) -> [RowPartText]? {
        guard var row = Self(bytes) else { return nil }
        var collector = RowTexts()
        row.describe(&collector)
        return collector.texts
    }
}

/// A value that a row stores as a number of a fixed width.
protocol RowValue: Equatable {
    associatedtype Stored: FixedWidthInteger & BitwiseCopyable = UInt8
    /// The value of a number; nil if there is none, so that the row cannot be read.
    init?(stored: Stored)
    var stored: Stored { get }
    /// The value in words.
    var words: String { get }
    /// The names of the bits, lowest first; empty for types that are no set of flags.
    static var bitNames: [String] { get }
}

extension RowValue {
    var words: String { "\(self)" }
    static var bitNames: [String] { [] }
}

extension RowValue where Self: FixedWidthInteger & BitwiseCopyable {
    @inline(__always) init?(stored: Self) { self = stored }
    @inline(__always) var stored: Self { self }
}

extension UInt8: RowValue {}
extension UInt16: RowValue {
    typealias Stored = UInt16
}
extension UInt32: RowValue {
    typealias Stored = UInt32
}
extension UInt64: RowValue {
    typealias Stored = UInt64
}
extension Int32: RowValue {
    typealias Stored = Int32
}
extension Int64: RowValue {
    typealias Stored = Int64
}

extension RowValue where Self: RawRepresentable, RawValue: FixedWidthInteger & BitwiseCopyable, Stored == RawValue {
    @inline(__always) init?(stored: RawValue) { self.init(rawValue: stored) }
    @inline(__always) var stored: RawValue { rawValue }
}

extension LocalMessageID: RowValue {
    typealias Stored = UInt64
}

extension Position: RowValue {
    typealias Stored = UInt64
}

extension PendingChangeStatus: RowValue {
    typealias Stored = UInt8

    /// Nothing stays in a row that is confirmed or withdrawn.
    @inline(__always) init?(stored: UInt8) {
        guard stored <= PendingChangeStatus.failed.rawValue else { return nil }
        self.init(rawValue: stored)
    }
    @inline(__always) var stored: UInt8 { rawValue }
}

extension MessageStatus: RowValue {
    typealias Stored = UInt8

    /// Folds put only statuses into rows that this version knows.
    @inline(__always) init?(stored: UInt8) {
        guard stored <= MessageStatus.read.rawValue else { return nil }
        self.init(rawValue: stored)
    }
    @inline(__always) var stored: UInt8 { rawValue }
}

extension Bool: RowValue {
    typealias Stored = UInt8

    @inline(__always) init?(stored: UInt8) {
        guard stored <= 1 else { return nil }
        self = stored == 1
    }
    @inline(__always) var stored: UInt8 { self ? 1 : 0 }
}

/// A set of flags in a row.
protocol RowFlags: OptionSet, RowValue where Stored == RawValue, Element == Self {}

extension RowFlags {
    subscript(flag: Self) -> Bool {
        get { contains(flag) }
        set { if newValue { insert(flag) } else { remove(flag) } }
    }
}

extension RowValue where Self: OptionSet, RawValue: FixedWidthInteger {
    /// The names of the bits that are set; a bit without a name is shown by its value.
    var words: String {
        @inline(never) @_semantics("optimize.sil.specialize.generic.never")
        get {
            let set = (0..<RawValue.bitWidth).filter { rawValue >> $0 & 1 == 1 }
            let names = set.map { $0 < Self.bitNames.count ? Self.bitNames[$0] : String(1 << $0) }
            return names.isEmpty ? "none" : names.joined(separator: "+")
        }
    }
}

extension MessageFlags: RowValue {
    typealias Stored = UInt8
}
