@_spi(Storage) import MessageStoreLog
import Testing

/// The values are those of the reference implementation (xxHash 0.8, `XXH64`), over the buffer of its own self-test.
@Suite("XXH64") struct XXH64Tests {
    @Test(
        arguments: [
            (0, 0xEF46_DB37_51D8_E999, 0xAC75_FDA2_929B_17EF, 0x298F_4C84_B24F_5380),
            (1, 0xE934_A84A_DB05_2768, 0x5014_6076_43A9_B4C3, 0x8BA3_3288_05E3_7C90),
            (3, 0xFF7E_1959_CB50_794A, 0xAA85_84E8_3660_F7D1, 0xD98F_F19E_5346_B786),
            (4, 0x9136_A0DC_A574_57EE, 0xCAAB_286B_D8E9_FDB5, 0x159F_BDB3_FC3F_C1D6),
            (7, 0x6C83_909A_9F01_ED25, 0xF98D_03B1_AD6F_9293, 0x73BD_E046_67CA_6BF4),
            (8, 0xCDBC_F538_E71D_1348, 0xFE0C_047A_5353_CDAC, 0x568E_81B1_596E_8283),
            (11, 0x6345_D574_6F35_DA70, 0xEAA0_8A8C_8BE3_CCCF, 0x7D99_7DF6_7EA3_9EF0),
            (14, 0x8282_DCC4_994E_35C8, 0xC3BD_6BF6_3DEB_6DF0, 0x8523_C9EE_6F95_48ED),
            (15, 0x1807_1931_6D62_2D84, 0xD611_05C2_0E91_F99F, 0xABA4_97CF_6BEC_E3A5),
            (16, 0x98C9_0B57_FDFC_B55C, 0xC900_AD2D_536B_607E, 0x2A36_1A78_8232_33FE),
            (31, 0x299B_39A2_90E6_D783, 0xDA67_3D5F_EB5C_1D79, 0x6ED1_061F_61C6_86E5),
            (32, 0x18B2_1649_2BB4_4B70, 0xB3F3_3BDF_93AD_E409, 0x3A79_3D90_2011_3C2A),
            (33, 0x55C8_DC3E_578F_5B59, 0xE92C_292F_64BC_3071, 0x3E29_B6E7_0F25_43DA),
            (63, 0xA9EF_BE0F_A0F3_F4E7, 0x6C91_1FAD_B05B_6FC2, 0x93B7_C9E8_CE6D_E24C),
            (64, 0xEF55_8F8A_CAC2_B5CD, 0xB5EE_BA99_264C_C44F, 0xD482_94C0_C6D5_D9FD),
            (100, 0x4BFE_019C_D91D_9EA4, 0x4853_706D_C962_5CAE, 0x2FE1_B146_0F46_66C4),
            (222, 0xB641_AE8C_B691_C174, 0x20CB_8AB7_AE10_C14A, 0x6192_0BEF_9B9A_65CA),
            (1000, 0x52BD_1358_F22E_9EF7, 0x7275_1A24_0801_7E26, 0xF681_D3B0_E9E4_95AE),
        ] as [(Int, UInt64, UInt64, UInt64)])
    func `equals the reference at every length class and seed`(
        length: Int, plain: UInt64, seeded: UInt64, allOnes: UInt64
    ) {
        let buffer = Self.buffer(length)
        #expect(XXH64.hash(buffer.span.bytes) == plain)
        #expect(XXH64.hash(buffer.span.bytes, seed: 0x9E37_79B1) == seeded)
        #expect(XXH64.hash(buffer.span.bytes, seed: .max) == allOnes)
        #expect(XXH64.hashes(buffer.span.bytes, seeds: (0x9E37_79B1, .max)) == (seeded, allOnes))
    }

    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("xxhash", 0x32DD_3895_2C4B_C720), ("消息", 0x8396_46D9_437E_9255),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func `hashes the UTF-8 bytes of strings`(string: String, hash: UInt64) {
        #expect(XXH64.hash(string) == hash)
        #expect(XXH64.hash(Array(string.utf8).span.bytes) == hash)
    }

    @Test func `does not depend on where the bytes lie in memory`() {
        let buffer = Self.buffer(200)
        for offset in 0..<16 {
            let moved = [UInt8](repeating: 0, count: offset) + buffer
            #expect(XXH64.hash(moved.span.bytes.extracting(offset..<moved.count)) == XXH64.hash(buffer.span.bytes))
        }
    }

    /// `XSUM_fillTestBuffer` of the reference implementation.
    private static func buffer(_ count: Int) -> [UInt8] {
        var generator: UInt64 = 2_654_435_761
        return (0..<count).map { _ in
            defer { generator &*= 11_400_714_785_074_694_797 }
            return UInt8(truncatingIfNeeded: generator >> 56)
        }
    }
}
