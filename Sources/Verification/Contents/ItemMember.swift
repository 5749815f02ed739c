internal import Format

/// Members of an item, as a set.
struct ItemMembers: OptionSet {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A set of members.
    init(_ members: ItemMember...) { rawValue = members.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }

    /// The member that has a name, and those whose value comes from the same place; nothing where no member has it.
    init(taintedBy name: some Sequence<UInt8>) {
        guard let member = ItemMember.allCases.first(where: { $0.name.utf8.elementsEqual(name) }) else {
            self = []
            return
        }
        self = member == .metadata ? ItemMembers(.metadata, .metadataHash) : ItemMembers(member)
    }
}

/// The places of the members of an item in its line.
struct MemberPlaces {
    /// The place of a member.
    struct Place {
        /// From the opening quote of its name to the end of its value.
        var whole: Range<Int>
        /// Its value; of a text with the quotes.
        var value: Range<Int>
    }

    // Not inline: facts are handed about, and that copied a kilobyte each time.
    private var places = [Place](repeating: Place(whole: 0..<0, value: 0..<0), count: ItemMember.allCases.count)
    /// The members that are there.
    private(set) var present: ItemMembers = []

    /// The place of a member; nil where it is absent.
    subscript(member: ItemMember) -> Place? {
        present.rawValue & 1 &<< UInt32(truncatingIfNeeded: member.rawValue) == 0 ? nil : places[member.rawValue]
    }

    /// Forgets the item before.
    mutating func reset() { present = [] }

    /// Takes a member by its number in the order of `ItemMember`.
    mutating func note(_ index: Int, _ place: Place) {
        places[index] = place
        present.formUnion(ItemMembers(rawValue: 1 << UInt32(index)))
    }
}
