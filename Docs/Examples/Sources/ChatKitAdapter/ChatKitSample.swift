import AdapterSupport
import MessageStore

/// ChatKit's guide to an app's own business: profiles, custom messages, filter, previews, badge and session.
package enum ChatKitSample {
    private static let tom = ConversationKey.single("Tom")
    private static let cats = ConversationKey.group("cats")

    /// Runs it in a store of its own.
    package static func run() async throws -> SampleRun {
        let run = SampleRun("ChatKit: an app's own business")
        let directory = try TemporaryDirectory()
        let (app, server) = (ChatKitApp(), ScriptedServer())
        let past = try pastCards(server)
        let kit = try LCChatKit(
            clientId: "Butch", directory: directory.path, blocks: app.blocks(for: "Butch"),
            history: ChatKitHistory(messages: [cats: past]), server: server)
        let marking = kit.markBadge { app.mark($0) }
        run.expect("the badge at first", try await eventually { app.badge == [0] }, is: true)
        try await profiles(run, kit, app)
        try await filter(run, kit)
        try await custom(run, kit)
        try sending(run, kit)
        try await previews(run, kit)
        try await list(run, kit, app)
        try session(run, kit)
        run.expect("the views are what the log says", try await isConsistent(kit), is: true)
        try await kit.store.close()
        try await marking.value
        return run
    }

    private static func isConsistent(_ kit: LCChatKit) async throws -> Bool {
        try await kit.store.verify().isConsistent
    }

    private static func card(for clientIds: [String]?) throws -> MessageContent {
        try LCCKVCardMessage(clientId: "Tom", conversationType: .group, onlyVisibleFor: clientIds).encode()
    }

    private static func pastCards(_ server: ScriptedServer) throws -> [MessageReceived] {
        try [["Jerry"], ["Butch"], []].map { listed in
            let stamp = server.stamp()
            return MessageReceived(
                serverID: ServerMessageID(stamp.id), sender: "Tom", sentTime: stamp.time, content: try card(for: listed)
            )
        }
    }

    private static func profiles(_ run: SampleRun, _ kit: LCChatKit, _ app: ChatKitApp) async throws {
        run.step("profiles: nobody is asked until somebody is shown")
        try await kit.receive(.text("hello"), from: "Tom", in: tom)
        run.expect("asked", app.requests.count, is: 0)
        run.expect("cached", try kit.getCachedProfileIfExists("Tom"), is: nil)
        let users = try await kit.getProfilesInBackgroundForUserIds(["Tom", "Jerry"])
        run.expect("fetched", users.compactMap(\.name), is: ["Thomas", "Gerald"])
        run.expect("the app's own id", users.first?.userId, is: "app-Tom")
        run.expect("asked", app.requests, is: [["Jerry", "Tom"]])
        run.expect("cached", try kit.getCachedProfileIfExists("Tom")?.avatarURL, is: "https://a.example.com/Tom")
        var error: StoreError.Code?
        do {
            _ = try await kit.getProfilesInBackgroundForUserIds([])
        } catch let refusal as StoreError { error = refusal.code }
        run.expect("for nobody", error, is: .invalidArgument)
        try kit.removeCachedProfileForPeerId("Tom")
        run.expect("removed", try kit.getCachedProfileIfExists("Tom"), is: nil)
        run.expect("and Jerry not", try kit.getCachedProfileIfExists("Jerry")?.name, is: "Gerald")
        try kit.removeAllCachedProfiles()
        run.expect("until all are", try kit.getCachedProfileIfExists("Jerry"), is: nil)
        let again = try await kit.getProfilesInBackgroundForUserIds(["Tom", "Jerry"])
        run.expect("fetched anew", again.compactMap(\.name), is: ["Thomas", "Gerald"])
        let late = try await kit.getProfilesInBackgroundForUserIds(["Toodles"])
        run.expect("where the block never completes", late.compactMap(\.name), is: ["Toodles"])
    }

    private static func filter(_ run: SampleRun, _ kit: LCChatKit) async throws {
        run.step("Butch's filter: cards for others become a text, those for nobody are hidden, live and in history")
        try kit.registerCard()
        let view = LCCKConversationViewController(kit, cats)
        for listed in [nil, ["Tom", "Jerry"], ["Butch"], []] {
            try await kit.receive(card(for: listed), from: "Tom", in: cats)
        }
        run.expect("live", try view.bubbles(), is: ["card of Thomas", ChatKitApp.hidden, "card of Thomas"])
        _ = try await kit.store.history(of: cats)
        run.expect(
            "history before them", Array(try view.bubbles().prefix(2)), is: [ChatKitApp.hidden, "card of Thomas"])
        let logged = try await kit.store.events(where: EventFilter(types: [.messageReceived], conversation: cats))
        let directed = logged.compactMap { $0.event.payload as? MessageReceived }.filter { $0.content.text != nil }
        run.expect("texts in the log, where all is as it came", directed.count, is: 0)
    }

    private static func custom(_ run: SampleRun, _ kit: LCChatKit) async throws {
        run.step("custom messages: a transient heart and a card, told to one listener")
        var told = kit.customMessages().makeAsyncIterator()
        let heart = MessageContent(type: ContentType(2, in: AVIMTypedMessage.namespace), text: "♥")
        try await kit.receive(heart, from: "Tom", in: tom, policy: .transient)
        try await kit.receive(.text("no card"), from: "Tom", in: tom)
        try await kit.receive(card(for: nil), from: "Tom", in: tom)
        let (first, second) = (try await told.next(), try await told.next())
        run.expect("the heart", first?.message.text, is: "♥")
        run.expect("which one", [first?.isTransient, second?.isTransient].compactMap { $0 }, is: [true, false])
        let view = LCCKConversationViewController(kit, tom)
        run.expect("shown", try view.bubbles(), is: ["hello", "no card", "card of Thomas"])
        run.expect("the list's line", try LCCKConversationList(store: kit.store).rows().first, is: "Thomas: [card] (3)")
        kit.unregisterCard()
        run.expect(
            "without its class", try view.bubbles().last, is: "A card; update the app to see it.")
        try kit.registerCard()
    }

    private static func sending(_ run: SampleRun, _ kit: LCChatKit) throws {
        run.step("a card is sent, one fails and is sent again; the app says so below it")
        let view = LCCKConversationViewController(kit, tom)
        let card = LCCKVCardMessage(clientId: "Jerry", conversationType: .single)
        var progress: [Int] = []
        func send() throws -> LocalMessageID {
            try view.sendCustomMessage(card) {
                progress.append($0)
            } success: {
                try? view.sendLocalFeedbackTextMessge("sent")
            } failed: { code in
                try? view.sendLocalFeedbackTextMessge("failed with \(code)")
            }
        }
        _ = try send()
        run.expect("progress", progress, is: [50, 100])
        run.expect("shown", Array(try view.bubbles().suffix(2)), is: ["card of Gerald", "sent"])
        kit.server.script(.refused(503))
        let failed = try send()
        run.expect(
            "shown, the failed one last", Array(try view.bubbles().suffix(2)),
            is: ["failed with 503", "card of Gerald"])
        try view.resend(failed, success: {}, failed: { _ in })
        run.expect("status", try view.messages().first { $0.id == failed }?.status, is: .sent)
        run.expect("feedback is not sent", try view.outboxCount(), is: 0)
        guard let last = try view.messages().first(where: { $0.id == failed }) else { return }
        let copy = try view.forward(last, to: .single("Jerry"))
        let forwarded = try LCCKConversationViewController(kit, .single("Jerry")).messages().first { $0.id == copy }
        run.expect("forwarded", forwarded?.content == last.content, is: true)
    }

    private static func previews(_ run: SampleRun, _ kit: LCChatKit) async throws {
        run.step("pictures among words, and a place")
        let pictures = ConversationKey.group("pictures")
        for number in 1...3 {
            let url = "https://p.example.com/\(number)"
            let image = ImagePayload(MediaFile(url: url), thumbnail: MediaFile(url: url + "s"), width: 4, height: 3)
            try await kit.receive(image.encode(), from: "Tom", in: pictures)
            try await kit.receive(.text("number \(number)"), from: "Tom", in: pictures)
        }
        try await kit.receive(
            LocationPayload(latitude: 39.9, longitude: 116.4, text: "the square").encode(), from: "Tom", in: pictures)
        let view = LCCKConversationViewController(kit, pictures)
        let messages = try view.messages()
        try view.previewImageMessage(messages[2]) { index, images, thumbs in
            run.expect("the one tapped", index, is: 1)
            run.expect("all", images.map { $0.suffix(1) }.joined(), is: "123")
            run.expect("their thumbnails", thumbs.map { $0.suffix(2) }.joined(), is: "1s2s3s")
        }
        var place: LocationPayload?
        view.previewLocationMessage(messages[6]) { place = $0 }
        run.expect("the place", place?.text, is: "the square")
    }

    private static func list(_ run: SampleRun, _ kit: LCChatKit, _ app: ChatKitApp) async throws {
        run.step("the badge, and the menu of a swipe")
        let list = LCCKConversationList(store: kit.store)
        let all = try await kit.store.read { try $0.unreadTotals().badge }
        let isReported = try await eventually { app.badge.last == all }
        run.expect("the badge that was told", isReported, is: true)
        for key in [tom, cats, .group("pictures")] { try list.read(key) }
        run.expect("all read", try await eventually { app.badge.last == 0 }, is: true)
        try list.markUnread(tom)
        run.expect("one marked", try await eventually { app.badge.last == 1 }, is: true)
        try list.delete(tom)
        run.expect("and deleted", try await eventually { app.badge.last == 0 }, is: true)
        run.expect("the list", try list.rows().map { String($0.prefix(4)) }, is: ["pict", "Gera", "cats"])
        try await kit.receive(.text("still there?"), from: "Tom", in: tom)
        run.expect("until he writes", try list.rows().first, is: "Thomas: still there? (1)")
    }

    private static func session(_ run: SampleRun, _ kit: LCChatKit) throws {
        run.step("another device signs in")
        var details: [String] = []
        try kit.sessionConflict()
        run.expect("without a block", try kit.sessionState(), is: .kicked)
        kit.setForceReconnectSessionBlock {
            details.append($0)
            return true
        }
        try kit.sessionConflict()
        run.expect("with one", try kit.sessionState(), is: .connected)
        run.expect("which was told", details, is: ["SESSION_CONFLICT"])
    }
}
