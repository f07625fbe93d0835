public import MessageStore

/// The participants of a synthetic workload: conversations, users and the members of each conversation.
///
/// Everything is computed from ordinals, nothing is stored for a user. Ids and names do not depend on the seed.
public struct WorkloadDirectory: Sendable {
    /// The user whose account's store is filled.
    public static let account = 0

    /// How many conversations there are.
    public let conversations: Int
    /// How many users there are, with the account.
    public let users: Int

    private let singleShare: Double
    private let largestGroup: Int
    private let groupSizeExponent: Double
    /// A step without a common factor with the number of users but the account, so that ranks give different users.
    private let memberStep: Int

    /// Creates the directory that belongs to a workload with these parameters.
    public init(_ parameters: WorkloadParameters) {
        let parameters = parameters.clamped
        conversations = parameters.conversations
        users = parameters.users
        singleShare = parameters.singleShare
        largestGroup = parameters.largestGroup
        groupSizeExponent = parameters.groupSizeExponent
        memberStep = Self.coprimeStep(parameters.users - 1)
    }

    /// Returns whether a conversation is between two people; the single ones lie evenly among the ordinals.
    public func kind(ofConversation index: Int) -> WorkloadConversationKind {
        let spread = (UInt64(truncatingIfNeeded: index) &+ 1) &* SplitMix64.increment
        return Double(spread >> 11) * 0x1p-53 < singleShare ? .single : .group
    }

    /// Returns how many members a conversation has besides the account, as a power of two; 0 if nobody else exists.
    public func memberCount(ofConversation index: Int) -> Int {
        guard users > 1 else { return 0 }
        guard kind(ofConversation: index) == .group else { return 1 }
        let shrink = PortablePower.power(Double(max(index, 0)) + 1, -groupSizeExponent)
        let wanted = max(2, Int(Double(largestGroup) * shrink))
        let count = min(wanted, users - 1)
        return 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
    }

    /// Returns the user who is the member on a rank, 0 being the most active, of a conversation besides the account.
    ///
    /// Different ranks below `memberCount(ofConversation:)` give different users.
    public func member(rank: Int, ofConversation index: Int) -> Int {
        guard users > 1 else { return Self.account }
        let start = SplitMix64.mix(UInt64(truncatingIfNeeded: index) &+ 1) % UInt64(users - 1)
        let offset = UInt64(truncatingIfNeeded: rank) &* UInt64(memberStep)
        return 1 + Int((start &+ offset) % UInt64(users - 1))
    }

    /// Returns the largest number up to 0.618 of `count` that has no common factor with it.
    private static func coprimeStep(_ count: Int) -> Int {
        var step = max(1, Int(Double(count) * 0.618))
        while step > 1, greatestCommonDivisor(step, count) > 1 {
            step -= 1
        }
        return step
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller != 0 {
            (larger, smaller) = (smaller, larger % smaller)
        }
        return larger
    }
}

extension WorkloadDirectory {
    /// The account whose store a workload fills.
    public var accountID: UserID { UserID(userID(Self.account)) }

    /// The key of a conversation.
    public func conversationKey(_ index: Int) -> ConversationKey {
        ConversationKey(kind(ofConversation: index) == .single ? .single : .group, conversationID(index))
    }

    /// The event that a store records for an event of the workload.
    ///
    /// - Parameters:
    ///   - event: The event of the workload.
    ///   - origin: How the store learns of it; the account's own messages come from its other device.
    public func event(_ event: WorkloadEvent, origin: Origin = .offline) -> Event {
        let key = conversationKey(event.conversation)
        let time = Timestamp(milliseconds: event.timeMs)
        let sender = UserID(userID(event.sender))
        switch event.kind {
        case .text:
            let message = MessageReceived(
                serverID: ServerMessageID(event.serverID), sender: sender, sentTime: time, content: .text(event.text))
            return Event(message, in: key, origin: event.isOwn ? .otherDevice : origin)
        case .memberJoined:
            return Event(
                MembersAdded([sender], kind: .joined), in: key, id: EventID(event.serverID),
                origin: origin, serverTime: time)
        case .memberLeft:
            return Event(
                MembersRemoved([sender], kind: .left), in: key, id: EventID(event.serverID),
                origin: origin, serverTime: time)
        }
    }

    /// The event that describes a conversation: its name for a group, the two people otherwise.
    public func creation(ofConversation index: Int) -> Event {
        let key = conversationKey(index)
        guard kind(ofConversation: index) == .group else {
            let peer = UserID(userID(member(rank: 0, ofConversation: index)))
            return Event(
                ConversationCreated(members: [accountID, peer]), in: key,
                id: EventID("created/\(conversationID(index))"))
        }
        let fields = ConversationFields(name: conversationName(index))
        return Event(
            ConversationCreated(fields, members: [accountID]), in: key,
            id: EventID("created/\(conversationID(index))"))
    }

    /// The event that a profile provider's answer for these users would be.
    public func profiles(of users: Range<Int>) -> Event {
        Event(ProfilesFetched(users.map { Profile(id: UserID(userID($0)), name: userName($0)) }))
    }
}

extension WorkloadDirectory {
    /// Returns a conversation's id: 24 hexadecimal digits, unique, in an order that says nothing about its activity.
    public func conversationID(_ index: Int) -> String {
        Self.identifier(index, prefix: 0x54C0)
    }

    /// Returns a user's id: 24 hexadecimal digits, unique, and never that of a conversation.
    public func userID(_ index: Int) -> String {
        Self.identifier(index, prefix: 0x55E1)
    }

    /// Returns a conversation's name, Chinese or Latin: the other person's of a single one, else a group's title.
    public func conversationName(_ index: Int) -> String {
        guard kind(ofConversation: index) == .group else { return userName(member(rank: 0, ofConversation: index)) }
        let hash = SplitMix64.mix(UInt64(truncatingIfNeeded: index) ^ 0x6772_6F75_7000_0000)
        let number = index / 64 == 0 ? "" : " \(index / 64)"
        guard hash & 1 == 0 else {
            return Self.pick(Self.chineseOwners, hash >> 8) + Self.pick(Self.chineseTopics, hash >> 32) + number
        }
        return Self.pick(Self.latinOwners, hash >> 8) + " " + Self.pick(Self.latinTopics, hash >> 32) + number
    }

    /// Returns a user's display name, Chinese or Latin, of at most 14 bytes; several users may share one.
    public func userName(_ index: Int) -> String {
        let hash = SplitMix64.mix(UInt64(truncatingIfNeeded: index) ^ 0x7573_6572_0000_0000)
        guard hash & 3 == 0 else {
            let letter = Self.pick(Self.initials, hash >> 32)
            return Self.pick(Self.latinNames, hash >> 8) + letter + String((hash >> 48) % 100)
        }
        return Self.pick(Self.chineseSurnames, hash >> 8) + Self.pick(Self.chineseNames, hash >> 32)
    }

    private static func identifier(_ index: Int, prefix: UInt64) -> String {
        let ordinal = UInt64(truncatingIfNeeded: index)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        Hexadecimal.append(prefix << 16 | SplitMix64.mix(~ordinal) >> 48, digits: 8, to: &bytes)
        Hexadecimal.append(SplitMix64.mix(ordinal), digits: 16, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func pick(_ list: [String], _ hash: UInt64) -> String {
        list[Int(hash % UInt64(list.count))]
    }

    private static let latinOwners = words(
        "Weekend Family Office Garden Chess Running Reading Street Kitchen Campus Music Travel Project Release "
            + "Support Night"
    )
    private static let latinTopics = words(
        "Club Plans Friends Team Photos News Questions Market Crew Notes Room Updates Ideas Helpers Desk Lunch"
    )
    private static let chineseOwners = words("周末 家人 公司 花园 象棋 跑步 读书 小区 厨房 校园 音乐 旅行 项目 发布 客服 夜班")
    private static let chineseTopics = words("群 计划 朋友 小组 相册 通知 问答 市场 同事 笔记 聊天室 动态 点子 互助 值班 午饭")
    private static let latinNames = words(
        "Anna Ben Clara David Emma Felix Grace Hugo Irene Jonas Karin Leo Maria Nils Olivia Pablo Quinn Rosa Simon "
            + "Tara Uma Victor Wanda Yusuf Zoe Mateo Ingrid Marek Chloé René Jürgen Søren"
    )
    private static let initials = words("A B C D E F G H K L M N P R S T W Z")
    private static let chineseSurnames = words("王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 马 罗")
    private static let chineseNames = words("伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 涛 明 晓燕 建国 志强 秀英 雨桐 子涵 思远 佳怡 文博")

    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }
}

/// Draws the conversation of each event.
struct WorkloadConversations: Sendable {
    private let sampler: ZipfSampler
    private let stickiness: Double
    private var last: Int?

    init(_ parameters: WorkloadParameters) {
        sampler = ZipfSampler(count: parameters.conversations, exponent: parameters.conversationExponent)
        stickiness = parameters.conversationStickiness
    }

    /// Returns the conversation before or a new draw, which may give the same.
    mutating func next(using random: inout SplitMix64) -> Int {
        if random.chance(stickiness), let last { return last }
        let conversation = sampler.next(using: &random)
        last = conversation
        return conversation
    }
}
