/// A value that a row stores as a number of a fixed width.
protocol RowValue: Equatable {
    associatedtype Stored: FixedWidthInteger & BitwiseCopyable = UInt8
    /// The value of a number; nil where there is none, so that the row cannot be read.
    init?(stored: Stored)
    var stored: Stored { get }
    /// The value in words.
    var words: String { get }
    /// The names of the bits, lowest first; empty for what is not a set of flags.
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
