@_spi(Storage) import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("I10: rows made of fields")
struct ViewRowTests {
    @Test func `a field that is cut makes no row`() {
        let profile = KnownRow(info: Profile(id: "", name: "Bob"))
        expectCutFields(profile.bytes, after: 9) { KnownRow<Profile>($0) != nil }
        expectCutFields(profile.bytes, after: 9) { Profile.name(in: $0) != nil }
        let team = KnownRow(info: TeamInfo(id: .group(""), name: "Team"))
        expectCutFields(team.bytes, after: 9) { KnownRow<TeamInfo>($0) != nil }
        var info = ConversationInfo()
        info.setTags(remove: [], add: ["a tag"])
        expectCutFields(info.bytes, after: 0) { ConversationInfo($0) != nil }
    }

    /// A row of a fixed part and one field can be read whole and where the field is missing altogether.
    private func expectCutFields(
        _ bytes: [UInt8], after fixed: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ isRow: (RawSpan) -> Bool
    ) {
        let readable = (0...bytes.count).filter { isRow(bytes.span.bytes.extracting(0..<$0)) }
        #expect(readable == [fixed, bytes.count], sourceLocation: sourceLocation)
    }

    @Test func `an order has at least the bytes of its time`() {
        let bytes = [UInt8](repeating: 0, count: 8)
        #expect((0...8).filter { OrderRow(bytes.span.bytes.extracting(0..<$0)) != nil } == [6, 7, 8])
        #expect((0...8).filter { NumberRow(bytes.span.bytes.extracting(0..<$0)) != nil } == [8])
    }
}
