"""Archives with pages that are used twice: a few pages that SQLite goes through again and again.

Written from the SQLite manual ("Database File Format", "WAL-mode File Format") alone.
"""

import contextlib
import sqlite3
import struct


def varint(data, place):
    """A number of 1 to 9 bytes, and the place after it."""
    value = 0
    for index in range(8):
        byte = data[place + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + index + 1
    return value << 8 | data[place + 8], place + 9


def of_varint(number):
    digits = [number & 0x7F]
    while number >> 7:
        number >>= 7
        digits.append(number & 0x7F | 0x80)
    return bytes(reversed(digits))


class Pages:
    """The pages of a database that is closed, to be changed."""

    def __init__(self, path):
        self.path, self.data = path, bytearray(path.read_bytes())
        self.size = struct.unpack(">H", self.data[16:18])[0]
        self.before = bytes(self.data)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            self.roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0"))

    def page(self, number):
        return memoryview(self.data)[(number - 1) * self.size:number * self.size]

    def number(self, page, place, length=4):
        return int.from_bytes(self.page(page)[place:place + length], "big")

    def put(self, page, place, value, length=4):
        self.page(page)[place:place + length] = value.to_bytes(length, "big")

    def kind(self, page):
        return self.page(page)[0]

    def is_interior(self, page):
        return self.kind(page) in (2, 5)

    def cells(self, page):
        first = 12 if self.is_interior(page) else 8
        return [self.number(page, first + 2 * index, 2) for index in range(self.number(page, 3, 2))]

    def children(self, page):
        """The places of the children in an interior page."""
        return [*self.cells(page), 8]

    def new(self, content=b""):
        """A page at the end of the file."""
        self.data += bytes(content).ljust(self.size, b"\0")
        count = len(self.data) // self.size
        self.data[28:32] = count.to_bytes(4, "big")
        return count

    def interior(self, child, count, first=1):
        """The bytes of a page of a table with one child in all places."""
        page, end, places = bytearray(self.size), self.size, []
        for index in range(count):
            cell = child.to_bytes(4, "big") + of_varint(first + index)
            end -= len(cell)
            if end < 12 + 2 * count:
                raise ValueError("no room")
            page[end:end + len(cell)] = cell
            places.append(end)
        page[:12] = struct.pack(">BHHHBI", 5, 0, count, end, 0, child)
        page[12:12 + 2 * count] = b"".join(place.to_bytes(2, "big") for place in places)
        return page

    def overflows(self, root):
        """The places where leaves of a table name a first overflow page, as pairs of page and place."""
        found, waiting = [], [root]
        most, least = self.size - 35, (self.size - 12) * 32 // 255 - 23
        while waiting:
            page = waiting.pop()
            if self.is_interior(page):
                waiting += [self.number(page, place) for place in self.children(page)]
                continue
            for cell in self.cells(page):
                payload, place = varint(self.page(page), cell)
                _, place = varint(self.page(page), place)
                if payload > most:
                    local = least + (payload - least) % (self.size - 4)
                    found.append((page, place + (local if local <= most else least)))
        return found

    def leaves(self, root):
        if not self.is_interior(root):
            return [root]
        return [leaf for place in self.children(root) for leaf in self.leaves(self.number(root, place))]

    def write(self, in_log=False):
        """Writes the main file, or a log with the pages that changed and all new ones."""
        if not in_log:
            return self.path.write_bytes(self.data)
        count = len(self.data) // self.size
        changed = [number for number in range(1, count + 1)
                   if self.data[(number - 1) * self.size:number * self.size] !=
                   self.before[(number - 1) * self.size:number * self.size]]
        header = struct.pack(">IIIIII", 0x377F0683, 3007000, self.size, 0, 1, 2)
        total = checksum(header, (0, 0))
        log = header + struct.pack(">II", *total)
        for number in changed:
            head = struct.pack(">II", number, count if number == changed[-1] else 0)
            page = bytes(self.page(number))
            total = checksum(page, checksum(head, total))
            log += head + struct.pack(">II", 1, 2) + struct.pack(">II", *total) + page
        # The main file says that it has a log.
        main = bytearray(self.before)
        main[18:20] = b"\2\2"
        self.path.write_bytes(main)
        self.path.with_name(self.path.name + "-wal").write_bytes(log)


def checksum(data, total):
    """That of a log of which the magic number ends in 3: numbers with the high byte first."""
    one, two = total
    for first, second in struct.iter_unpack(">II", data):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


# Each takes pages and the root of a table with several leaves, or with rows on overflow pages.

def tower(pages, root, levels=6):
    """The root leads in all places to one page, that to one, and so on, down to a leaf."""
    child = pages.leaves(root)[0]
    count = (pages.size - 12) // 9
    for _ in range(levels):
        child = pages.new(pages.interior(child, count))
    pages.page(root)[:] = pages.interior(child, count)


def shared_leaf(pages, root):
    places = pages.children(root)
    pages.put(root, places[-1], pages.number(root, places[0]))


def shared_leaf_of_two_parents(pages, root):
    """Another table has a leaf as its child, too."""
    other = pages.roots["sample_visibility_ranges"]
    place = pages.children(other)[-1]
    pages.put(other, place, pages.leaves(root)[0])


def shared_interior(pages, root):
    """Both children of the root are one interior page, of which the children are not shared."""
    places = pages.children(root)
    content = bytes(pages.page(root))
    below = pages.new(content)
    count = min(2, len(places))
    pages.page(root)[:] = pages.interior(below, count)


def shared_overflow(pages, root):
    (one, place), (two, other) = pages.overflows(root)[:2]
    pages.put(two, other, pages.number(one, place))


def shared_overflow_within(pages, root):
    """The second page of one chain goes on with that of another."""
    (one, place), (two, other) = pages.overflows(root)[:2]
    first, second = pages.number(one, place), pages.number(two, other)
    pages.put(second, 0, pages.number(first, 0))


def overflow_that_is_a_leaf(pages, root):
    page, place = pages.overflows(root)[0]
    pages.put(page, place, pages.leaves(pages.roots["sample_versions"])[-1])


def cells_that_share_bytes(pages, root):
    """All cells of a leaf of a table are the first one."""
    leaf = pages.leaves(root)[0]
    for index in range(len(pages.cells(leaf))):
        pages.put(leaf, 8 + 2 * index, pages.cells(leaf)[0], 2)


def root_that_is_a_child(pages, root):
    """A leaf of one table is the root of another, as the schema says. Its number has as many bytes as the other's."""
    leaf = pages.leaves(pages.roots["observations"])[1]
    old = pages.roots["context_log"]
    page, found = 1, None
    waiting = [1]
    while waiting:
        page = waiting.pop()
        start = 100 if page == 1 else 0
        count, kind = pages.number(page, start + 3, 2), pages.page(page)[start]
        places = [pages.number(page, start + (12 if kind == 5 else 8) + 2 * index, 2) for index in range(count)]
        if kind == 5:
            waiting += [pages.number(page, place) for place in places] + [pages.number(page, start + 8)]
            continue
        for place in places:
            _, at = varint(pages.page(page), place)
            _, at = varint(pages.page(page), at)
            size, body = varint(pages.page(page), at)
            kinds, end = [], at + size
            while body < end:
                kind, body = varint(pages.page(page), body)
                kinds.append(kind)
            lengths = [{0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 8: 0, 9: 0}.get(kind, (kind - 12) // 2) for kind in kinds]
            at = end + sum(lengths[:3])
            if lengths[3] and pages.number(page, at, lengths[3]) == old and bytes(
                    pages.page(page)[end:end + 5]) == b"table":
                found = (page, at, lengths[3])
    pages.put(*found[:2], leaf, found[2])


def shared_free(pages, root):
    """A leaf of a table is free, too."""
    trunk = pages.number(1, 32)
    pages.put(trunk, 8, pages.leaves(root)[-1])


def free_trunk_that_is_a_leaf(pages, root):
    pages.put(1, 32, pages.leaves(root)[-1])


def free_twice(pages, root):
    trunk = pages.number(1, 32)
    pages.put(trunk, 12, pages.number(trunk, 8))


TREES = {"tower": tower, "shared leaf": shared_leaf, "shared interior page": shared_interior}
LEAVES = {"cells that share bytes": cells_that_share_bytes}
OTHERS = {
    "leaf of two tables": shared_leaf_of_two_parents, "root that is a child": root_that_is_a_child,
}
OVERFLOWS = {
    "shared overflow page": shared_overflow, "shared rest of overflow pages": shared_overflow_within,
    "overflow page that is a leaf": overflow_that_is_a_leaf,
}
FREE = {
    "leaf that is free": shared_free, "trunk that is a leaf": free_trunk_that_is_a_leaf, "page that is free twice": free_twice,
}
