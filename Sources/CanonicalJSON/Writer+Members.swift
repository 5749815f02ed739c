extension Writer {
    /// Writes a member with a text; nothing where there is none.
    public mutating func member(_ name: Key, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }

    /// Writes a member with an integer of a magnitude below 2^53; nothing where there is none.
    public mutating func member(_ name: Key, _ number: Int64?) {
        guard let number else { return }
        key(name)
        integer(number)
    }

    /// Writes a member with an integer of a magnitude below 2^53; nothing where there is none.
    public mutating func member(_ name: Key, _ number: Int?) { member(name, number.map { Int64($0) }) }

    /// Writes a member with `true` or `false`.
    public mutating func member(_ name: Key, _ value: Bool) {
        key(name)
        bool(value)
    }
}
