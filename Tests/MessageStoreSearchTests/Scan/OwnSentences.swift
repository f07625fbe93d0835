#if os(macOS) || os(Linux)
import MessageStoreWorkload

/// Sentences of this project in ten scripts, and mixtures of them.
enum OwnSentences {
    static let all = [
        "See you tomorrow at nine, Ann!", "The café in Straße 5 closes at ten",
        "see www.example.com or https://swift.org",
        "naïve coöperation, déjà vu", "İstanbul'da görüşürüz", "don't forget snake_case names",
        "我知道了，明天见", "你不知道吗？我也不知道", "重跑gen后再看一下", "今天天气很好 ok", "知道知道知道",
        "明日は東京に行きます", "ｶﾞｰﾄﾞ と ガード", "コーヒーを飲みますか",
        "오늘 저녁에 만나요", "검색은 한국어도 됩니다ㅎㅎ", "สวัสดีครับ วันนี้อากาศดี", "น้ำแข็ง ๑ แก้ว",
        "Привет, мир! Ёлка и ёж", "Как дела? Всё хорошо", "Ὀδυσσεύς τῷ ἀνδρί", "Καλημέρα κόσμε",
        "مُحَمَّد في البيت", "مرحبا بالعالم", "שָׁלוֹם עולם", "להתראות מחר", "नमस्ते दुनिया", "नि और न अलग हैं",
        "👨‍👩‍👧 family 👍🏽", "🇩🇪🇫🇷 games ❤️", "🇺🇸🇩🇪🇫 🇫🇷🇺🇦", "👨‍👩‍👧‍👧 reunion 👨👩👧",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴‍☠️ match", "press #️⃣ then *️⃣ 1️⃣#*", "❤️‍🔥👩🏽‍💻👩❤ 知👍🏽道", "ＡＢＣ full width １２３", "x² is not x2", "ok", "?!", "a",
    ]

    /// A sentence, two of them in one, or parts of some.
    static func line(_ random: inout SplitMix64) -> LinearScan.Line {
        func sentence() -> String { all[random.nextIndex(all.count)] }
        var text = sentence()
        switch random.nextIndex(5) {
        case 0: text += " " + sentence()
        case 1: text += sentence()
        case 2: text = String(text.prefix(1 + random.nextIndex(8))) + sentence().suffix(4)
        default: break
        }
        return LinearScan.Line(
            conv: "c\(random.nextIndex(4))", from: "u\(random.nextIndex(6))", text: text)
    }
}
#endif
