#if os(Linux)
import Foundation
import MessageStore
import MessageStoreModel
import Testing

@Suite("Many readers", .serialized, .timeLimit(.minutes(30)), .enabled(if: Battery.isOn, Battery.isOff))
struct ReaderTests {
    @Test(
        "I6, I10: a thousand stuck readers leave room for a reader and a writer")
    func stuck() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let store = try MessageStore.open(path, account: RandomEvents.account, configuration: .ofTests)
        var stream = CrashStream(seed: 1)
        try store.record(stream.next())
        try store.close()
        var held: [ChildProcess] = []
        defer { for child in held { try? child.kill() } }
        for _ in 0..<20 {
            let child = try ChildProcess(["hold", path, "50"])
            held.append(child)
            #expect(try child.acknowledgements(50) == [UInt64](repeating: 1, count: 50))
        }
        let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
        #expect(try reader.lastPosition() == stream.model.lastPosition)
        try reader.close()
        let writer = try MessageStore.open(path, account: RandomEvents.account, configuration: .ofTests)
        stream.reopen()
        try writer.record(stream.next())
        #expect(try writer.verify().isConsistent)
        try writer.close()
    }
}
#endif
