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
