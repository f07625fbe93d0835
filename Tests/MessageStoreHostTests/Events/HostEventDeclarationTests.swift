import Foundation
import MessageStore
import Testing

@Suite("Declarations of hosts' events")
struct HostEventDeclarationTests {
    @Test(
        "the number follows from the name, or is the one that the host gives; the guide shows the sample of these tests"
    )
    func numbers() throws {
        // XXH64 of the name, by another implementation, is 0x9C12EFF4EB60E872: the low 15 bits count, from 0x8000 on.
        #expect(EventType(MessageStarred.self).rawValue == 0xE872)
        #expect(EventDeclaration("com.example.a", scope: .any, number: 0x9000).type.rawValue == 0x9000)
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(contentsOf: root.appendingPathComponent("Docs/Extending.md"), encoding: .utf8)
        let sample = try String(contentsOf: tests.appendingPathComponent("MessageStarred.swift"), encoding: .utf8)
        #expect(guide.contains("```swift\n\(sample)```"))
    }

    @Test(
        "a declaration that breaks a rule keeps the store from opening, by the type's name, and makes none",
        arguments: [
            ([NoDot.self], "message-starred"), ([Capital.self], "com.example.Starred"), ([EmptyLabel.self], "com..x"),
            ([LowNumber.self], "0x7FFF"), ([VersionZero.self], "version 0"),
            ([MessageReceived.self], "MessageReceived"),
            ([UnknownEvent.self], "UnknownEvent"),
            ([MessageStarred.self, MessageStarred.self], "have one name, or one number"),
            (
                [NumberA.self, NumberB.self],
                "com.example.a (NumberA) and com.example.b (NumberB) have one name, or one"
            ),
            ([NumberA.self, OtherA.self], "com.example.a (NumberA) and com.example.a (OtherA) have one name, or one"),
            ([Fielded<Low>.self], "the field f, which has the number 2; 3 to 63"),
            ([Fielded<High>.self], "the field f, which has the number 64; 3 to 63"),
            ([Fielded<TwoAtTheEnd>.self], "the field f, which has the number 63; 3 to 62"),
            ([Fielded<Enormous>.self], "the field f, which has the number 4294967295"),
            ([Fielded<OptionalList>.self], "the field f, which is optional"),
            ([Fielded<OptionalFlag>.self], "the field f, which is optional"),
            ([Fielded<NoPlaceholder>.self], "after the field f"),
            ([TwoInOnePlace.self], "the fields a and b in one place"),
            ([SameName.self], "two fields with the name a"), ([TwoActors.self], "the fields a and b in one place"),
            ([WithoutWriting.self], "the field a, which is not both"), ([Refusing.self], "after the field a"),
            ([RequiredContent.self], "the field a, which is content and not optional"),
            ([WrongScope.self], "the scope account, against the protocol"),
            ([AnyScope.self], "the scope any, against the protocol"),
        ] as [([any EventPayload.Type], String)])
    func refused(types: [any EventPayload.Type], problem: String) throws {
        let place = try HostPlace()
        let error = storeError { _ = try place.open(types) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(problem) == true, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test("a field that is written and not declared is refused when the event is recorded")
    func undeclared() throws {
        let place = try HostPlace()
        try place.withStore([Sly.self]) { store throws in
            try store.record(Event(any: Sly(number: 0)))
            for number: UInt32 in [1, 2, 7, 64, .max] {
                let error = storeError { try store.record(Event(any: Sly(number: number))) }
                #expect(error?.message.contains("com.example.sly.hidden is written and not read") == true)
            }
        }
    }

    @Test(
        "a number that belongs to another name in a store is refused, with both names, and so is a name with another number; also for reading"
    )
    func takenNumber() throws {
        let place = try HostPlace()
        try place.withStore([NumberA.self]) { _ in }
        var configuration = MessageStore.Configuration()
        configuration.events = [NumberB.self]
        for error in [
            storeError { _ = try place.open([OtherA.self]) },
            storeError { _ = try place.open([NumberB.self]) },
            storeError { _ = try MessageStore.openReadOnly(place.path, configuration: configuration) },
        ] {
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("and com.example.a has the number 0x9000 in this store") == true)
        }
        try place.withStore([NumberA.self]) { store throws in
            #expect(try store.eventDescriptions().map(\.name) == ["com.example.a"])
        }
    }

    @Test("a field that changes its type within a version is refused; one that is added, or not known, is described")
    func changedField() throws {
        let place = try HostPlace()
        try place.withStore([Changing<UInt64>.self]) { _ in }
        let error = storeError { _ = try place.open([Changing<String>.self]) }
        #expect(error?.message.contains("com.example.changing.a is a string and was a number in version 1") == true)
        let more = try HostPlace()
        try more.withStore([Sly.self]) { _ in }
        let described = try more.withStore([]) { try $0.eventDescriptions() }
        try more.withStore([SlyWithMore.self]) { _ in }
        let extended = try more.withStore([]) { try $0.eventDescriptions() }
        #expect(described.map { $0.fields.map(\.name) } == [["a"]])
        #expect(extended.map { $0.fields.map(\.name) } == [["a", "b"]])
        try more.withStore([Sly.self]) { store throws in #expect(try store.eventDescriptions() == extended) }
    }
}
