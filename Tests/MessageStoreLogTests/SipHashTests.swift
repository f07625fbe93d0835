import Testing

@testable import MessageStoreLog

/// The values are those of the reference implementation, `vectors_sip128`.
@Suite("SipHash") struct SipHashTests {
    @Test(
        "equals the reference",
        arguments: [
            (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
            (7, "a1f1ebbed8dbc153c0b84aa61ff08239"), (8, "3b62a9ba6258f5610f83e264f31497b4"),
            (15, "5493e99933b0a8117e08ec0f97cfc3d9"), (63, "5150d1772f50834a503e069a973fbd7c"),
        ])
    func vectors(length: UInt8, expected: String) {
        let hash = SipHash.hash(Array(0..<length), key: Array(0..<16))
        #expect(hash.span.bytes.hexadecimal == expected)
    }
}
