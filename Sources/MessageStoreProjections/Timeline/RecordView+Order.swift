@_spi(Storage) internal import MessageStoreLog

extension RecordView {
    /// The place that a field and the one of the next number hold. Without a server id it comes after every message of
    /// its time, or before them where it is a lower end.
    func order<Value: FieldValue>(_ field: Field<Value>, isLowerEnd: Bool = false) -> OrderKey? {
        guard let time = fields.first(field.number)?.number else { return nil }
        let serverID = fields.first(field.number + 1)?.bytes
        let timestamp = Timestamp(milliseconds: Int64(bitPattern: time))
        return OrderKey { writer in
            if let serverID {
                OrderKey.append(time: timestamp, id: serverID, to: &writer)
            } else {
                OrderKey.append(time: timestamp, id: RawSpan(), to: &writer)
                if !isLowerEnd { writer.append(OrderKey.afterAllIDs) }
            }
        }
    }
}
