"""Apple Health exports that cost much for their size, each as the bytes of a file. All values are synthetic."""

import io
import struct
import zipfile
import zlib

HEAD = '<?xml version="1.0"?>\n<HealthData locale="en"><ExportDate value="2024-03-01 00:00:00 +0000"/>\n'
TAIL = "</HealthData>\n"
DATES = 'startDate="2024-01-01 00:00:00 +0000" endDate="2024-01-01 00:00:00 +0000"'
RECORD = '<Record type="T" unit="x" value="1" %s/>\n' % DATES
NAME = "apple_health_export/export.xml"
MEBIBYTE = 1 << 20
STORED, DEFLATED = 0, 8


def document(*elements):
    """The parts of an export's text."""
    return [HEAD, *elements, TAIL]


def zipped(parts, name=NAME, method=zipfile.ZIP_DEFLATED):
    """A zip with one member."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        with file.open(name, "w", force_zip64=True) as member:
            for part in parts:
                member.write(part.encode() if isinstance(part, str) else part)
    return buffer.getvalue()


def repeated_attributes(length=256, values=254, tags=1):
    """Tags with one long name again and again."""
    attributes = " ".join('%s="%d"' % ("a" * length, number) for number in range(values))
    return zipped(document(*['<Record type="T" %s/>\n' % attributes] * tags))


def attribute_names(count, length=1):
    """Different names of attributes, of so many bytes or a few more."""
    names = ["%s%x" % ("n" * length, number) for number in range(count)]
    tags = ["<Record %s/>\n" % " ".join('%s="1"' % name for name in names[at:at + 200]) for at in range(0, count, 200)]
    return zipped(document(*tags))


def element_names(count):
    """Different names of elements."""
    return zipped(document(*("<n%x/>\n" % number for number in range(count))))


def cut_names(count):
    """Different names of elements with more attributes than a tag may have."""
    attributes = " ".join('a%d=""' % number for number in range(257))
    return zipped(document(*("<n%x %s/>\n" % (number, attributes) for number in range(count))))


def entry(name, packed, size, checksum, offset=0, method=DEFLATED, flags=0):
    """A member in the directory of a zip."""
    head = b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, flags, method, 0, 33)
    sums = struct.pack("<III", checksum, packed, size)
    return head + sums + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, offset) + name


def local(name, data, size, checksum, method=DEFLATED, flags=0):
    """A member of a zip."""
    sums = struct.pack("<III", checksum, len(data), size)
    head = b"PK\3\4" + struct.pack("<HHHHH", 20, flags, method, 0, 33)
    return head + sums + struct.pack("<HH", len(name), 0) + name + data


def end(count, directory, offset, comment=0):
    """The end of a zip."""
    return b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, directory, offset, comment)


def deflated(*parts):
    """Data of a member, how much it stands for, and its checksum."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    size = checksum = 0
    data = b""
    for part in parts:
        size, checksum = size + len(part), zlib.crc32(part, checksum)
        data += packer.compress(part)
    return data + packer.flush(), size, checksum


def overlapping(count, mebibytes):
    """Many candidates that are one stretch of the file: a comment that has no end."""
    data, size, checksum = deflated(b"<?xml?><!--", *[b"x" * MEBIBYTE] * mebibytes)
    front = local(b"export.xml", data, size, checksum)
    directory = b"".join(entry(b"e%04d.xml" % number, len(data), size, checksum) for number in range(count))
    return front + directory + end(count, len(directory), len(front))


def many_ends(count, members):
    """A directory with so many ends behind it, of which each is the last."""
    front = local(b"export.xml", b"", 0, 0, STORED)
    directory = b"".join(entry(b"%06d.xml" % number, 0, 0, 0, method=STORED) for number in range(members))
    ends = [end(members, len(directory), len(front), 22 * (count - 1 - number)) for number in range(count)]
    return front + directory + b"".join(ends)


def many_members(count):
    """An export and other members whose count only the ZIP64 end has."""
    text = "".join(document(RECORD)).encode()
    data, size, checksum = deflated(text)
    front = local(b"export.xml", data, size, checksum)
    directory = entry(b"export.xml", len(data), size, checksum)
    directory += b"".join(entry(b"%06d.gpx" % number, 0, 0, 0, method=STORED) for number in range(count - 1))
    place = len(front) + len(directory)
    record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(directory), len(front))
    locator = b"PK\6\7" + struct.pack("<IQI", 0, place, 1)
    last = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return front + directory + record + locator + last


def long_text(mebibytes, before="", after=TAIL):
    """White space in the place of records."""
    return zipped([HEAD, before, *[b" " * MEBIBYTE] * mebibytes, after])


def long_prolog(mebibytes):
    """A comment before anything says what the text is."""
    return zipped(['<?xml version="1.0"?><!--', *[b"x" * MEBIBYTE] * mebibytes, "-->", *document(RECORD)])


def encrypted():
    """A member whose flag says that it is encrypted."""
    text = "".join(document(RECORD)).encode()
    data, size, checksum = deflated(text)
    front = local(NAME.encode(), data, size, checksum, flags=1)
    directory = entry(NAME.encode(), len(data), size, checksum, flags=1)
    return front + directory + end(1, len(directory), len(front))


def other_method(name=NAME):
    """A member that is packed by bzip2, where 45 bytes stand for a mebibyte."""
    return zipped(document(RECORD), name, zipfile.ZIP_BZIP2)
