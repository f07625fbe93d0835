import Testing

@testable import MessageStoreLMDB

@Suite("Bytes in files without names")
struct SpilledBytesTests {
    @Test("they are what was written, after their directory has gone as well", arguments: [1, 4096, 1_500_001])
    func bytes(count: Int) throws {
        let contents = [(0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }, [UInt8](repeating: 7, count: count)]
        let spilled = try withTemporaryDirectory { directory in
            let spilled = try contents.map { try SpilledBytes($0.span.bytes, in: directory) }
            #expect(try FileSystem.names(in: directory).isEmpty)
            return spilled
        }
        for (spilled, content) in zip(spilled, contents) {
            #expect(UnsafeRawBufferPointer(start: spilled.address, count: count).elementsEqual(content))
        }
    }

    @Test("where no file can be made the error tells why, and what stands in the way is left alone")
    func failures() throws {
        try withTemporaryDirectory { directory in
            let bytes: [UInt8] = [1]
            let error = #expect(throws: FileError.self) { try SpilledBytes(bytes.span.bytes, in: directory + "/none") }
            #expect(error?.isNotFound == true && error?.operation == "create")
            try FileSystem.create(directory + "/spilled", bytes: [9])
            #expect(throws: FileError.self) { try SpilledBytes(bytes.span.bytes, in: directory) }
            #expect(try FileSystem.read(directory + "/spilled", limit: 10) == [9])
        }
    }
}
