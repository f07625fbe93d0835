@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Fields` {
    @Test(arguments: [0, 1, 127, 128, 300, 1 << 31, 1 << 63, UInt64.max])
    func `numbers come back`(number: UInt64) {
        var writer = ByteWriter(capacity: 1)
        writer.field(1, number)
        writer.field(UInt32.max >> 3, number)
        #expect(Self.read(writer.bytes.copied) == ["1=\(number)", "536870911=\(number)"])
    }

    @Test(arguments: [0, 1, -1, 63, -64, 1 << 40, Int64.max, Int64.min]) func `signed numbers come back`(number: Int64)
    {
        var writer = ByteWriter()
        writer.field(2, signed: number)
        let bytes = writer.bytes.copied
        var reader = FieldReader(bytes.span.bytes)
        let field = reader.next()
        #expect(field?.signed == number)
    }

    @Test func `the bytes are those of Protocol Buffers, without nil and false, and fields of fixed width are read`() {
        var writer = ByteWriter()
        writer.field(1, String?.none)
        writer.field(2, [UInt8]?.none)
        writer.field(3, false)
        #expect(writer.count == 0)
        writer.field(4, "")
        writer.field(5, [])
        writer.field(6, true)
        #expect(Self.read(writer.bytes.copied) == ["4:", "5:", "6=1"])
        var example = ByteWriter()
        example.field(1, UInt64(150))
        example.field(2, "testing")
        #expect(example.bytes.copied == [0x08, 0x96, 0x01, 0x12, 0x07] + Array("testing".utf8))
        let bytes: [UInt8] = [0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0x15, 2, 0, 0, 0]
        #expect(Self.read(bytes) == ["1=1", "2=2"])
    }

    @Test("I10: every truncation of fields is safe and noticed") func truncations() {
        var writer = ByteWriter()
        var ends: Set<Int> = [0]
        writer.field(1, UInt64.max)
        ends.insert(writer.count)
        writer.field(2, "消息")
        ends.insert(writer.count)
        writer.field(3, [UInt8](repeating: 7, count: 300))
        ends.insert(writer.count)
        writer.field(4, signed: -5)
        ends.insert(writer.count)
        let whole = writer.bytes.copied
        for length in 0...whole.count {
            let fields = Self.read(Array(whole[..<length]))
            #expect((fields.last == "broken") == !ends.contains(length), "cut at \(length)")
        }
    }

    @Test("I10: random bytes never trap", arguments: [1, 2] as [UInt64]) func randomBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<50_000 {
            let bytes = random.bytes(Int.random(in: 0...40, using: &random))
            var reader = FieldReader(bytes.span.bytes)
            var count = 0
            while let field = reader.next() {
                count += field.bytes.byteCount + 1
                _ = (field.string, field.signed, field.packed)
            }
            guard reader.isAtEnd, count <= bytes.count else {
                Issue.record("seed \(seed): \(bytes)")
                return
            }
        }
    }

    @Test("I10: random bytes are no record, and a record of random parts never traps", arguments: [3] as [UInt64])
    func randomRecords(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for round in 0..<20_000 {
            var bytes = random.bytes(Int.random(in: 0...140, using: &random))
            if bytes.count > 64, round % 2 == 0 {
                // Lengths that add up, so that the parts are looked at.
                let rest = bytes.count - 64
                (bytes[22], bytes[23]) = (UInt8(rest / 4), UInt8(rest / 4))
                for offset in 56..<64 { bytes[offset] = 0 }
                bytes[56] = UInt8(rest - 2 * (rest / 4))
            }
            guard let record = RecordView(bytes.span.bytes) else { continue }
            _ = (record.isIntact(at: Position(1)), record.numbers == nil, record.content.byteCount)
            record.forEachReference { _ in }
            record.forEachIdentity { identity in _ = identity.key }
        }
    }

    private static func read(_ bytes: [UInt8]) -> [String] {
        var reader = FieldReader(bytes.span.bytes)
        var fields: [String] = []
        while let field = reader.next() {
            fields.append(
                field.bytes.byteCount > 0 || field.isEmptyBytes(in: bytes)
                    ? "\(field.id):\(field.string)" : "\(field.id)=\(field.number)")
        }
        return fields + (reader.isMalformed ? ["broken"] : [])
    }
}

extension FieldReader.Field {
    /// Whether the field was written with a length of 0; the tests use small numbers for those.
    fileprivate func isEmptyBytes(in bytes: [UInt8]) -> Bool {
        number == 0 && bytes.contains(UInt8(truncatingIfNeeded: id << 3 | 2)) && id > 3
    }
}
