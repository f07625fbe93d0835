internal import MessageStore

extension ViewSnapshot {
    /// Walks `count` rows upwards from a key, and goes on with the first row after the last.
    ///
    /// - Returns: How many rows there were: `count`, unless the table is empty.
    borrowing func walk(_ table: ViewTable, _ count: Int, from key: RawSpan) throws -> Int {
        var cursor = try rows(table, from: key)
        var walked = 0
        while walked < count, try cursor.next() { walked += 1 }
        while walked < count {
            var restarted = try rows(table)
            guard try restarted.next() else { break }
            walked += 1
            while walked < count, try restarted.next() { walked += 1 }
        }
        return walked
    }

    /// Walks `count` rows downwards from below a key, and goes on with the last row after the first.
    ///
    /// - Returns: How many rows there were: `count`, unless the table is empty.
    borrowing func walkBackwards(_ table: ViewTable, _ count: Int, before key: RawSpan) throws -> Int {
        var cursor = try rowsBackwards(table, before: key)
        var walked = 0
        while walked < count, try cursor.next() { walked += 1 }
        while walked < count {
            var restarted = try rowsBackwards(table)
            guard try restarted.next() else { break }
            walked += 1
            while walked < count, try restarted.next() { walked += 1 }
        }
        return walked
    }

    /// Walks all rows of a table, upwards from the first.
    ///
    /// - Returns: How many rows there were.
    borrowing func walkAll(_ table: ViewTable) throws -> Int {
        var cursor = try rows(table)
        var walked = 0
        while try cursor.next() { walked += 1 }
        return walked
    }
}
