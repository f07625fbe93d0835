import Foundation
import MessageStore
import MessageStoreSharing
import Testing

@Suite("messagestore next to an inbox, and next to a process that writes", .tool, .timeLimit(.minutes(30)))
struct InboxCommandTests {
    @Test("stats counts the files of an inbox that wait, and those that were rejected")
    func inbox() throws {
        try place.importLines([logLine("text", id: "m1", time: "1000")])
        let path = place.logs.directory.path + "/inbox"
        let inbox = Inbox(at: path, account: "me")
        try inbox.handOver([
            .received("m2", from: "bob", in: .group("g"), at: Timestamp(milliseconds: 1), content: .text("你好"))
        ])
        try Data("x".utf8).write(
            to: URL(fileURLWithPath: path + "/bad/0000000000000001-00000001-0000000000000001-00000001"))
        let stats = try place.run("stats", "--json", "--inbox", path).succeeded().object()
        let counted = stats.object("inbox")
        #expect(counted["waitingFiles"] as? Int == 1 && counted["rejectedFiles"] as? Int == 1)
        let text = try place.run("stats", "--inbox", path).succeeded().output
        #expect(text.contains("inbox: files that wait") && !text.contains("你好"))
        #expect(try !place.run("stats").succeeded().output.contains("inbox"))
        #expect(try place.run("stats", "--inbox", path + "/none").succeeded().output.contains("inbox"))
    }

    @Test("a command that writes says who has the store open")
    func holder() throws {
        try place.importLines([logLine("text", id: "m1", time: "1000")])
        try place.write { _ in
            let run = try place.run("compact")
            #expect(run.exitCode != 0)
            #expect(
                run.errors.contains("process \(ProcessInfo.processInfo.processIdentifier), since "), "\(run.errors)")
        }
    }
}
