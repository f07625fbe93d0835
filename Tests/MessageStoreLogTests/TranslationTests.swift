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
}
