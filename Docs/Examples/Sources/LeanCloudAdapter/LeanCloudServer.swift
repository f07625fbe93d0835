import AdapterSupport
import MessageStore
import Synchronization

/// The service in memory: conversations, members, messages, and what waits for each client.
final class LeanCloudServer: Sendable {
    struct Conversation: Sendable {
        let id: String
        let name: String?
        let creator: String
        let attributes: [String: JSONValue]
        let isTransient: Bool
        let isSystem: Bool
        var members: [String]
        var messages: [WireMessage] = []
    }

    struct WireMessage: Sendable {
        let id: String
        let sender: String
        let time: Timestamp
        let content: MessageContent
        let token: ClientToken
        let options: AVIMMessageSendOption
    }

    /// What the server pushes to a client.
    enum Frame: Sendable {
        case message(WireMessage, isOffline: Bool)
        case delivered(messageId: String, time: Timestamp)
        case membersAdded([String], by: String)
        case membersRemoved([String], by: String)
        case invited(by: String)
        case kicked(by: String)
        case unread(Int)
    }

    struct State {
        var conversations: [String: Conversation] = [:]
        var online: Set<String> = []
        var inboxes: [String: [(conversation: String, frame: Frame)]] = [:]
        /// What was written while a client was away.
        var missed: [String: [(conversation: String, message: WireMessage)]] = [:]
    }

    /// The code of the service for who is no member.
    static let notMember: Int32 = 4401
    let script = ScriptedServer()
    let state = Mutex(State())

    func login(_ client: String, usesUnread: Bool) {
        state.withLock { state in
            state.online.insert(client)
            let missed = state.missed.removeValue(forKey: client) ?? []
            if usesUnread {
                for (conversation, messages) in Dictionary(grouping: missed, by: \.conversation) {
                    state.push(.unread(messages.count), in: conversation, to: [client])
                }
            } else {
                for item in missed {
                    state.push(.message(item.message, isOffline: true), in: item.conversation, to: [client])
                }
            }
        }
    }

    /// Messages that the client did not confirm wait for it, as do those that are written while it is away.
    func logout(_ client: String) {
        state.withLock { state in
            _ = state.online.remove(client)
            for case (let conversation, .message(let message, _)) in state.inboxes.removeValue(forKey: client) ?? []
            where message.options != .transient && state.conversations[conversation]?.isTransient == false {
                state.missed[client, default: []].append((conversation, message))
            }
        }
    }

    /// What was pushed to a client and is not confirmed.
    func frames(for client: String) -> [(conversation: String, frame: Frame)] {
        state.withLock { $0.inboxes[client] ?? [] }
    }

    /// A client has the first frames that were pushed to it; the senders of messages among them are told where they want to
    /// know.
    func confirm(_ count: Int, for client: String) {
        state.withLock { state in
            let frames = Array((state.inboxes[client] ?? []).prefix(count))
            for case (let conversation, .message(let message, _)) in frames where message.options == .requestReceipt {
                let time = script.clock.next()
                state.push(.delivered(messageId: message.id, time: time), in: conversation, to: [message.sender])
            }
            state.inboxes[client]?.removeFirst(frames.count)
        }
    }

    func send(
        _ content: MessageContent, token: ClientToken, options: AVIMMessageSendOption, from sender: String,
        to conversation: String
    ) throws(ScriptedServer.Refusal) -> ScriptedServer.Receipt {
        guard find(conversation)?.members.contains(sender) == true else {
            throw ScriptedServer.Refusal(code: Self.notMember)
        }
        return try script.send(token: token) { receipt in
            let message = WireMessage(
                id: receipt.id, sender: sender, time: receipt.time, content: content, token: token, options: options)
            state.withLock { $0.write(message, in: conversation) }
        }
    }

    func find(_ id: String) -> Conversation? { state.withLock { $0.conversations[id] } }
}
