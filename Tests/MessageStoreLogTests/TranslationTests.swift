import Foundation
import MessageStoreLMDB
import Testing

@testable import MessageStoreLog

@Suite("I10: errors of the layers below")
struct TranslationTests {
    static let damage: [LMDBError.Code] = [.corrupted, .pageNotFound, .invalid, .versionMismatch, .failedPreflight]

    @Test("damage to a cache and damage to the log are different errors, for the remedies differ", arguments: damage)
    func damageCodes(code: LMDBError.Code) {
        let inLog = LMDBError(code, operation: "read", path: "p")
        let inCache = LMDBError(code, operation: "read", path: "p", isInCache: true)
        #expect(StoreError(inLog).code == .logDamaged)
        #expect(StoreError(inCache).code == .viewsDamaged)
        #expect(StoreError(inCache).path == "p")
    }

    @Test(
        "what has a way back of its own has a code of its own",
        arguments: [
            (LMDBError.Code.readersFull, StoreError.Code.tooManyReaders), (.panic, .mustReopen),
            (.init(rawValue: ENOSPC), .diskFull), (.init(rawValue: EFBIG), .diskFull),
            (.init(rawValue: EIO), .inputOutput),
        ])
    func codes(code: LMDBError.Code, expected: StoreError.Code) {
        #expect(StoreError(LMDBError(code, operation: "commit", path: "p")).code == expected)
    }
}
