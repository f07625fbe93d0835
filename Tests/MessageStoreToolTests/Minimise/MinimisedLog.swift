// swift-format-ignore-file
// Written by `messagestore minimise`. The log below is the smallest one that was found in which this is true:
//     not ((badge == 2 and unread(group:x16) == 2 and shown(group:x16) >= 2 and unread(group:x16) <= shown(group:x16) and unread(group:x16) != 7 and readUpTo(group:x16) < activity(group:x16) and readUpTo(group:x16) >= 2023-11-14T22:13:21.000Z and not (readUpTo(single:x08) > readUpTo(group:x16)) and readUpTo(single:x08) == none and activity(group:x16) > 2023-11-14T00:00:00.000Z and status(group:x16, local:3) == received and status(local:9) == sending and status(group:x16, local:6) == recalled and status(group:x16, local:7) == none and text(group:x16, local:4) == "x03" and text(group:x16, local:7) == none and modified(group:x16, local:4) and not (modified(group:x16, local:3)) and member(group:x16, x06) and name(x06) == "x00" and name(x08) == none and exists(group:x16) and exists(group:x16, local:3) and not (exists(group:x16, local:7)) and rows(profiles) > 0 and pinned(group:x16) and muted(single:x08) and not (mentionsOnly(group:x16)) and not (archived(group:x16)) and listed(group:x16) and not (deletedFromList(group:x16)) and not (outOfDate(group:x16)) and (badge > 5 or unread(group:x16) == badge) and rows(profiles) < 9))
// The test fails as long as it is true, and passes once the rule has changed. If the app should have recorded
// another event, replace the old one by the one that it records now. Names are not those of the store; equal
// ones are equal.
import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@Test("the log does not fulfil the condition")
func minimisedLog() throws {
    let lines = #"""
        {"byteCount":73,"commit":1,"conversation":{"id":"x16","kind":"group"},"flags":0,"origin":"offline","payload":{"members":["x14","x06"],"name":"x05"},"position":1,"recordedTime":1700000020000,"type":"ConversationCreated"}
        {"byteCount":73,"commit":2,"flags":0,"origin":"local","payload":{"profiles":[{"id":"x06","name":"x00"}]},"position":2,"recordedTime":1700000021000,"type":"ProfilesFetched"}
        {"byteCount":72,"commit":3,"conversation":{"id":"x16","kind":"group"},"flags":13,"origin":"live","payload":{"contentType":"text","countsUnread":true,"mentionsEveryone":false,"needsReceipt":false,"sender":"x06","sentTime":1700000001000,"serverID":"x09","text":"x01","updatesLastMessage":true},"position":3,"recordedTime":1700000022000,"serverTime":1700000001000,"type":"MessageReceived"}
        {"byteCount":72,"commit":4,"conversation":{"id":"x16","kind":"group"},"flags":13,"origin":"live","payload":{"contentType":"text","countsUnread":true,"mentionsEveryone":false,"needsReceipt":false,"sender":"x06","sentTime":1700000002000,"serverID":"x10","text":"x01","updatesLastMessage":true},"position":4,"recordedTime":1700000023000,"serverTime":1700000002000,"type":"MessageReceived"}
        {"byteCount":72,"commit":5,"conversation":{"id":"x16","kind":"group"},"flags":13,"origin":"live","payload":{"contentType":"text","countsUnread":true,"mentionsEveryone":false,"needsReceipt":false,"sender":"x06","sentTime":1700000003000,"serverID":"x11","text":"x01","updatesLastMessage":true},"position":5,"recordedTime":1700000024000,"serverTime":1700000003000,"type":"MessageReceived"}
        {"byteCount":72,"commit":6,"conversation":{"id":"x16","kind":"group"},"flags":13,"origin":"live","payload":{"contentType":"text","countsUnread":true,"mentionsEveryone":false,"needsReceipt":false,"sender":"x06","sentTime":1700000004000,"serverID":"x12","text":"x01","updatesLastMessage":true},"position":6,"recordedTime":1700000025000,"serverTime":1700000004000,"type":"MessageReceived"}
        {"byteCount":72,"commit":7,"conversation":{"id":"x16","kind":"group"},"flags":13,"origin":"live","payload":{"contentType":"text","countsUnread":true,"mentionsEveryone":false,"needsReceipt":false,"sender":"x06","sentTime":1700000005000,"serverID":"x13","text":"x01","updatesLastMessage":true},"position":7,"recordedTime":1700000026000,"serverTime":1700000005000,"type":"MessageReceived"}
        {"byteCount":76,"commit":8,"conversation":{"id":"x16","kind":"group"},"flags":0,"origin":"local","payload":{"upTo":{"id":"x09","time":1700000001000}},"position":8,"recordedTime":1700000027000,"type":"ConversationRead"}
        {"byteCount":72,"commit":9,"conversation":{"id":"x16","kind":"group"},"flags":76,"origin":"local","payload":{"clientToken":"x15","contentType":"text","countsUnread":true,"mentionsEveryone":false,"needsReceipt":false,"text":"x04","updatesLastMessage":true},"position":9,"recordedTime":1700000028000,"type":"MessageSendQueued"}
        {"byteCount":74,"commit":10,"conversation":{"id":"x16","kind":"group"},"flags":1,"origin":"live","payload":{"actor":"x06","contentType":"text","mentionsEveryone":false,"message":{"server":"x10"},"text":"x03","time":1700000008000},"position":10,"recordedTime":1700000029000,"serverTime":1700000008000,"type":"MessageModified"}
        {"byteCount":69,"commit":11,"conversation":{"id":"x16","kind":"group"},"flags":0,"origin":"live","payload":{"actor":"x06","message":{"server":"x12"}},"position":11,"recordedTime":1700000030000,"type":"MessageRecalled"}
        {"byteCount":69,"commit":12,"conversation":{"id":"x16","kind":"group"},"flags":0,"origin":"local","payload":{"erases":false,"isRemote":false,"messages":[{"server":"x13"}]},"position":12,"recordedTime":1700000031000,"type":"MessagesDeleted"}
        {"byteCount":73,"commit":13,"conversation":{"id":"x16","kind":"group"},"flags":0,"origin":"local","payload":{"isPinned":true,"time":1700000009000},"position":13,"recordedTime":1700000032000,"type":"ConversationPinned"}
        {"byteCount":72,"commit":14,"conversation":{"id":"x08","kind":"single"},"flags":13,"origin":"live","payload":{"contentType":"text","countsUnread":true,"mentionsEveryone":false,"needsReceipt":false,"sender":"x08","sentTime":1700000010000,"serverID":"x07","text":"x02","updatesLastMessage":true},"position":14,"recordedTime":1700000033000,"serverTime":1700000010000,"type":"MessageReceived"}
        {"byteCount":73,"commit":15,"conversation":{"id":"x08","kind":"single"},"flags":0,"origin":"local","payload":{"isMuted":true,"time":1700000011000},"position":15,"recordedTime":1700000034000,"type":"ConversationMuted"}
        """#
    let store = try TemporaryStore()
    let opened = try store.open(account: "x14") {
        // No timer of the log is due.
        $0.now = { Timestamp(milliseconds: 1) }
    }
    let decoder = JSONDecoder()
    try opened.appendRecorded(
        lines.split(separator: "\n").map { try decoder.decode(RecordedEvent.self, from: Data($0.utf8)) })
    try opened.read { views in
        let value1 = try views.unreadTotals().badge  // badge
        let value2 = try views.unread(of: ConversationKey(.group, "x16")).messages  // unread(group:x16)
        let value3 = try ViewDiagnostics.shownUnread(of: ConversationKey(.group, "x16"), in: views)  // shown(group:x16)
        let value4 = try views.unread(of: ConversationKey(.group, "x16")).readUpTo?.time  // readUpTo(group:x16)
        let value5 = try views.conversation(ConversationKey(.group, "x16"))?.activity  // activity(group:x16)
        let value6 = try views.unread(of: ConversationKey(.single, "x08")).readUpTo?.time  // readUpTo(single:x08)
        let value7 = try ([views.message(LocalMessageID(3))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil).map { $0.isRecalled ? "recalled" : $0.status.description } ?? "none"  // status(group:x16, local:3)
        let value8 = try (views.message(LocalMessageID(9))).map { $0.isRecalled ? "recalled" : $0.status.description } ?? "none"  // status(local:9)
        let value9 = try ([views.message(LocalMessageID(6))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil).map { $0.isRecalled ? "recalled" : $0.status.description } ?? "none"  // status(group:x16, local:6)
        let value10 = try ([views.message(LocalMessageID(7))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil).map { $0.isRecalled ? "recalled" : $0.status.description } ?? "none"  // status(group:x16, local:7)
        let value11 = try ([views.message(LocalMessageID(4))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil).map { $0.content.text ?? "" }  // text(group:x16, local:4)
        let value12 = try ([views.message(LocalMessageID(7))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil).map { $0.content.text ?? "" }  // text(group:x16, local:7)
        let value13 = try ([views.message(LocalMessageID(4))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil)?.isModified ?? false  // modified(group:x16, local:4)
        let value14 = try ([views.message(LocalMessageID(3))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil)?.isModified ?? false  // modified(group:x16, local:3)
        let value15 = try views.isMember("x06", in: ConversationKey(.group, "x16"))  // member(group:x16, x06)
        let value16 = try views.profile("x06").info.name  // name(x06)
        let value17 = try views.profile("x08").info.name  // name(x08)
        let value18 = try views.conversation(ConversationKey(.group, "x16")).map { !$0.isHidden } ?? false  // exists(group:x16)
        let value19 = try ([views.message(LocalMessageID(3))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil) != nil  // exists(group:x16, local:3)
        let value20 = try ([views.message(LocalMessageID(7))].first { $0?.conversation == ConversationKey(.group, "x16") } ?? nil) != nil  // exists(group:x16, local:7)
        let value21 = try ViewDiagnostics.rowCount(of: "profiles", in: views)  // rows(profiles)
        let value22 = try views.conversation(ConversationKey(.group, "x16")).map { $0.isPinned } ?? false  // pinned(group:x16)
        let value23 = try views.conversation(ConversationKey(.single, "x08")).map { $0.isMuted } ?? false  // muted(single:x08)
        let value24 = try views.conversation(ConversationKey(.group, "x16")).map { $0.notificationLevel == .mentionsOnly } ?? false  // mentionsOnly(group:x16)
        let value25 = try views.conversation(ConversationKey(.group, "x16")).map { $0.isArchived } ?? false  // archived(group:x16)
        let value26 = try views.conversation(ConversationKey(.group, "x16")).map { !$0.isHidden && $0.key.kind != .chatRoom && $0.activity != nil } ?? false  // listed(group:x16)
        let value27 = try views.conversation(ConversationKey(.group, "x16")).map { $0.isHidden } ?? false  // deletedFromList(group:x16)
        let value28 = try views.conversation(ConversationKey(.group, "x16")).map { $0.isOutdated } ?? false  // outOfDate(group:x16)
        let isFulfilled = !((value1 == 2 && value2 == 2 && value3 >= 2 && value2 <= value3 && value2 != 7 && zip([value4].compactMap { $0 }, [value5].compactMap { $0 }).contains(where: <) && zip([value4].compactMap { $0 }, [Timestamp(milliseconds: 1700000001000)].compactMap { $0 }).contains(where: >=) && !(zip([value6].compactMap { $0 }, [value4].compactMap { $0 }).contains(where: >)) && value6 == nil && zip([value5].compactMap { $0 }, [Timestamp(milliseconds: 1699920000000)].compactMap { $0 }).contains(where: >) && value7 == "received" && value8 == "sending" && value9 == "recalled" && value10 == "none" && value11 == "x03" && value12 == nil && value13 && !(value14) && value15 && value16 == "x00" && value17 == nil && value18 && value19 && !(value20) && value21 > 0 && value22 && value23 && !(value24) && !(value25) && value26 && !(value27) && !(value28) && (value1 > 5 || value2 == value1) && value21 < 9))
        #expect(!isFulfilled)
    }
    try opened.close()
}
