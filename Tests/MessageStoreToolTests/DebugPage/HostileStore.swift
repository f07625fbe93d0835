import Foundation
import MessageStore

/// A store full of what a page might run, turn around or hide.
enum HostileStore {
    static let texts = [
        "<script>window.hacked=1</script>", "</script><script>window.hacked=1</script>",
        "<img src=x onerror=window.hacked=1>",
        "\u{202E}gnp.exe \u{0}\u{1B}[31mred\u{2028}x\u{7}", "<!-- <script> -->", "javascript:window.hacked=1",
        "&lt;b&gt; \"quoted\" 'x' `y` ${window.hacked=1}", "שלום עולם, מה שלומך היום?", "مرحبا بالعالم 123 abc",
        "晚上一起吃饭吗？好的，七点见。", "👨‍👩‍👧 ❤️ \u{200B}veiled\u{FEFF}", "Z" + String(repeating: "\u{301}", count: 40),
        "<!--data--><!--script-->",
        // These letters make one character with what follows.
        "\u{D4E}</script>\u{D4E}<h1 id=pwned>pwned\u{D4E}</h1>", "\u{111C2}<!--\u{111C2}<script>",
    ]
    static let names = [
        "friends", "<b>bold</b>", "\u{202E}evil", "عائلة", "工作群", "\"><script>window.hacked=1</script>",
    ]

    /// Records 200 messages, two reads and a recall; the last event is a message in `friends`.
    static func fill(_ store: MessageStore) throws {
        for number in 0..<200 {
            let key = ConversationKey.group(names[number % 4 == 0 ? 0 : number % names.count])
            let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 61_000)
            let sender = UserID(["bob", "<i>eve</i>", "ליאור", "小明", "me"][number % 5])
            try store.record([
                .received(
                    ServerMessageID("m\(number)"), from: sender, in: key, at: time,
                    content: .text(texts[number % texts.count]))
            ])
            if number == 60 || number == 120 { try store.record([Event(ConversationRead(), in: .group("friends"))]) }
        }
        let last = Timestamp(milliseconds: 1_700_100_000_000)
        try store.record([
            .received("last", from: "bob", in: .group("friends"), at: last, content: .text("the last words"))
        ])
    }
}
