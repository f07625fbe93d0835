internal import MessageStoreSealing

/// The batches that one flush of the journal makes durable: records that follow each other, with the symbols that they
/// need.
///
/// It counts as a whole or not at all, by its checksum. `Docs/Format.md` draws it.
struct JournalFrame {
    let checksum: UInt64
    /// Another one for each use of a file; nothing else of the file's belongs to that use.
    let generation: UInt64
    /// The last position that was on the medium when the frame was written; the origin where nothing is flushed. In a
    /// segment the segment's last position.
    let flushed: Position
    let events: PreparedAppend
    /// The bytes that it takes in the file.
    let byteCount: Int

    var first: Position { events.batch.firstPosition }
    var last: Position { events.batch.lastPosition }

    /// Frames begin at multiples of this.
    static let alignment = 64
    private static let magic: UInt64 = 0x314C_4E52_4A53_4D0A  // "\nMSJRNL1"
    private static let sealedMagic: UInt64 = 0x3153_4E52_4A53_4D0A  // "\nMSJRNS1"
    private static let checksumSeed: UInt64 = 0x4D53_4A52_4E4C_0000  // "MSJRNL"

    enum Layout {
        static let magic = 0
        /// XXH64 of every byte after it, without the padding.
        static let checksum = 8
        static let storeID = 16
        static let generation = 32
        static let first = 40
        static let flushed = 48
        static let symbolBytes = 56
        static let recordBytes = 60
        /// Then: the symbols, the records.
        static let headerSize = 64
        static let storeIDSize = 16
        /// The bytes of the header that a seal is associated with.
        static let associated = storeID..<headerSize
        /// Of a symbol: space, number, count of bytes; the bytes follow.
        static let symbolHeaderSize = 9
    }
}

extension JournalFrame {
    /// The bytes that a frame of these events takes.
    static func byteCount(of group: ArraySlice<PreparedAppend>, isSealed: Bool = false) -> Int {
        let symbols = group.reduce(0) { $0 + $1.symbols.reduce(0) { $0 + Layout.symbolHeaderSize + $1.bytes.count } }
        let trailer = isSealed ? SecretKey.sealSize : 0
        return aligned(Layout.headerSize + symbols + group.reduce(trailer) { $0 + $1.batch.bytes.count })
    }

    static func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }

    /// Writes the frame of prepared events, which must follow each other.
    ///
    /// - Parameter key: Seals it; nil for a clear frame. See ``key(of:)``.
    static func encode(
        _ group: ArraySlice<PreparedAppend>, storeID: [UInt8], generation: UInt64, flushed: Position,
        sealedBy key: SecretKey? = nil, to writer: inout ByteWriter
    ) {
        precondition(storeID.count == Layout.storeIDSize, "a store's id has 16 bytes")
        writer.append(key == nil ? magic : sealedMagic)
        writer.append(UInt64(0))
        writer.append(storeID)
        writer.append(generation)
        writer.append(group.first?.batch.firstPosition.rawValue ?? 0)
        writer.append(flushed.rawValue)
        writer.append(UInt64(0))
        for symbol in group.lazy.flatMap(\.symbols) {
            writer.append(symbol.space.rawValue)
            writer.append(symbol.number)
            writer.append(UInt32(clamping: symbol.bytes.count))
            writer.append(symbol.bytes)
        }
        let symbols = writer.count - Layout.headerSize
        for prepared in group { writer.append(prepared.batch.bytes) }
        writer.set(UInt32(clamping: symbols), at: Layout.symbolBytes)
        writer.set(UInt32(clamping: writer.count - Layout.headerSize - symbols), at: Layout.recordBytes)
        if let key {
            let end = writer.count
            writer.append(SecretKey.sealSize) { trailer in
                let frame = trailer - end
                key.seal(
                    UnsafeMutableRawBufferPointer(
                        start: frame + Layout.headerSize, count: end - Layout.headerSize + SecretKey.sealSize),
                    associated: UnsafeRawBufferPointer(start: frame + Layout.storeID, count: Layout.associated.count))
            }
        }
        writer.set(checksum(of: writer.bytes), at: Layout.checksum)
        writer.appendZeros(aligned(writer.count) - writer.count)
    }

    /// The key of a journal's frames, which follows from that of its log.
    static func key(of log: SecretKey) -> SecretKey { log.derived(info: Array("journal".utf8)) }

    private static func checksum(of frame: RawSpan) -> UInt64 {
        XXH64.hash(frame.extracting(Layout.storeID..<frame.byteCount), seed: checksumSeed)
    }

    /// The beginning of a frame that may be damaged.
    struct Header {
        let checksum: UInt64
        let storeID: [UInt8]
        let generation: UInt64
        let first: Position
        let flushed: Position
        let isSealed: Bool
        fileprivate let symbolBytes: Int
        /// Without the bytes that fill it up.
        let byteCount: Int

        /// - Returns: nil if no frame begins.
        init?(_ bytes: RawSpan) {
            guard bytes.byteCount >= Layout.headerSize, let magic = bytes.load(at: Layout.magic, as: UInt64.self),
                magic == JournalFrame.magic || magic == sealedMagic,
                let checksum = bytes.load(at: Layout.checksum, as: UInt64.self),
                let generation = bytes.load(at: Layout.generation, as: UInt64.self),
                let first = bytes.load(at: Layout.first, as: UInt64.self),
                let flushed = bytes.load(at: Layout.flushed, as: UInt64.self),
                let symbols = bytes.load(at: Layout.symbolBytes, as: UInt32.self),
                let records = bytes.load(at: Layout.recordBytes, as: UInt32.self)
            else { return nil }
            (self.checksum, self.generation) = (checksum, generation)
            (self.first, self.flushed, symbolBytes) = (Position(first), Position(flushed), Int(symbols))
            storeID = bytes.extracting(Layout.storeID..<Layout.storeID + Layout.storeIDSize).copied
            isSealed = magic == sealedMagic
            byteCount = Layout.headerSize + Int(symbols) + Int(records) + (isSealed ? SecretKey.sealSize : 0)
        }
    }

    /// Reads the clear frame that begins with these bytes.
    ///
    /// - Returns: nil if none does, or one that is not whole.
    init?(_ bytes: RawSpan) {
        guard let header = Self.wholeHeader(bytes), !header.isSealed else { return nil }
        self.init(header, bytes.extracting(Layout.headerSize..<header.byteCount))
    }

    /// Reads the frame that begins with these bytes.
    ///
    /// - Parameter key: The key of a log all of whose frames are sealed; nil for one without a key.
    /// - Returns: nil if none does, or one that is not whole.
    /// - Throws: ``StoreError`` with code `logDamaged` for a whole frame that was not sealed with the log's key.
    static func read(_ bytes: RawSpan, _ key: SecretKey?) throws -> JournalFrame? {
        guard let key else { return JournalFrame(bytes) }
        guard let header = wholeHeader(bytes) else { return nil }
        let opened = bytes.withUnsafeBytes { bytes in
            key.opened(
                UnsafeRawBufferPointer(rebasing: bytes[Layout.headerSize..<header.byteCount]),
                associated: UnsafeRawBufferPointer(rebasing: bytes[Layout.associated]))
        }
        guard header.isSealed, let opened, let read = JournalFrame(header, opened.span.bytes)
        else {
            throw StoreError(.logDamaged, "a frame of the journal has a seal that does not fit", position: header.first)
        }
        return read
    }

    /// Reads the frame of a segment that begins with these bytes.
    ///
    /// - Parameters:
    ///   - key: The key under which segments are sealed; nil for clear ones.
    ///   - path: The segment, for errors.
    /// - Returns: nil if no frame begins, or one that is not whole.
    /// - Throws: ``StoreError`` with code `keyUnavailable` for a sealed frame without a key, `keyRefused` if the key is
    ///   another one, or if the frame is clear.
    static func read(
        ofSegment bytes: RawSpan, _ key: SecretKey?, path: String? = nil
    ) throws(StoreError) -> JournalFrame? {
        guard let header = wholeHeader(bytes) else { return nil }
        switch (header.isSealed, key) {
        case (true, nil):
            throw StoreError(.keyUnavailable, "events are sealed, and no key is given", path: path)
        case (false, .some):
            throw StoreError(.keyRefused, "a key is given, and events are not sealed", path: path)
        case (false, nil): return JournalFrame(header, bytes.extracting(Layout.headerSize..<header.byteCount))
        default:
            do { return try read(bytes, key) } catch {
                throw StoreError(.keyRefused, "events are sealed under another key", path: path)
            }
        }
    }

    /// The header of the frame that begins with these bytes; nil if it is not whole.
    static func wholeHeader(_ bytes: RawSpan) -> Header? {
        guard let header = Header(bytes), header.byteCount <= bytes.byteCount,
            checksum(of: bytes.extracting(0..<header.byteCount)) == header.checksum,
            header.first > .origin, header.first.rawValue < Position.limit
        else { return nil }
        return header
    }

    /// - Parameter body: Clear symbols and records.
    private init?(_ header: Header, _ body: RawSpan) {
        guard header.symbolBytes <= body.byteCount,
            let symbols = Self.symbols(body.extracting(0..<header.symbolBytes)),
            let batch = EncodedBatch(records: body.extracting(header.symbolBytes..<body.byteCount), from: header.first)
        else { return nil }
        (checksum, generation, flushed) = (header.checksum, header.generation, header.flushed)
        events = PreparedAppend(batch, symbols)
        byteCount = Self.aligned(header.byteCount)
    }

    private static func symbols(_ bytes: RawSpan) -> [PendingSymbols.Entry]? {
        var symbols: [PendingSymbols.Entry] = []
        var offset = 0
        while offset < bytes.byteCount {
            guard let space = bytes.load(at: offset, as: UInt8.self).flatMap(SymbolSpace.init),
                let number = bytes.load(at: offset + 1, as: UInt32.self),
                let count = bytes.load(at: offset + 5, as: UInt32.self)
            else { return nil }
            let start = offset + Layout.symbolHeaderSize
            guard Int(count) <= bytes.byteCount - start else { return nil }
            offset = start + Int(count)
            symbols.append(.init(space: space, number: number, bytes: bytes.extracting(start..<offset).copied))
        }
        return symbols
    }
}
