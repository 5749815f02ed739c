"""Container: RFC 8878 frames and the seek table. `texts`, `frame` and `skippable` are the pseudo-code of Spec/container.md.

    frame       28 B5 2F FD | descriptor | [window] | [dictionary id] | [content size] | blocks | [checksum]
    block       3 bytes: last (1 bit), type (2 bits), size (21 bits) | content
    seek table  5E 2A 4D 18 | length | per frame: compressed, decompressed | count | 0 | B1 EA 92 8F
"""

import bisect
import os
import struct

import zstandard

from .findings import Fault


MAX_WINDOW = 1 << 23
SMALLEST_FRAME = 9  # magic, descriptor, one more byte of the header, one block header
MAX_BLOCK = 1 << 17  # RFC 8878, 3.1.1.2: no block of any frame is larger
MAX_FRAME = 66 << 20
FRAME_MAGIC = b"\x28\xb5\x2f\xfd"
TABLE_MAGIC = b"\x5e\x2a\x4d\x18"
TABLE_END = b"\xb1\xea\x92\x8f"


def is_skippable(magic):
    return len(magic) == 4 and magic[0] & 0xF0 == 0x50 and magic[1:] == TABLE_MAGIC[1:]


class FrameHeader:
    """What a frame says about itself (RFC 8878, 3.1.1.1)."""

    def __init__(self, data):
        descriptor = data[4] if len(data) > 4 else 0
        if descriptor & 0b11000:  # the reserved bit, and the unused one that no writer may set
            raise Fault("container.frame_header", 4)
        single_segment, self.checksum = bool(descriptor & 0x20), bool(descriptor & 4)
        sizes = (not single_segment, (0, 1, 2, 4)[descriptor & 3],
                 (int(single_segment), 2, 4, 8)[descriptor >> 6])
        self.length = 5 + sum(sizes)
        if len(data) < self.length:
            raise Fault("container.truncated", len(data))
        after_dictionary = 5 + sizes[0] + sizes[1]
        self.dictionary = int.from_bytes(data[5 + sizes[0]:after_dictionary], "little")
        size = int.from_bytes(data[after_dictionary:self.length], "little")
        self.content_size = None if sizes[2] == 0 else size + 256 * (sizes[2] == 2)
        self.largest_block = MAX_BLOCK
        if single_segment:
            self.window, window_byte = self.content_size, 0x68
        else:
            window_byte = data[5]
            base = 1 << (10 + (window_byte >> 3))
            self.window = base + (base >> 3) * (window_byte & 7)
            self.largest_block = min(MAX_BLOCK, self.window)  # RFC 8878, 3.1.1.2.4
        # For the decoder the header is rewritten without the content size, so that a lie
        # about the size is told apart from blocks that are broken.
        self.for_decoder = FRAME_MAGIC + bytes((4 * self.checksum, window_byte))


def is_read_in_two_ways(block):
    """Whether a compressed block sets a reserved bit of its symbol compression modes (RFC 8878, 3.1.1.3.2.1), or says
    in two bytes that it has no sequences: decoders differ there.

    Where these bytes stand follows from the literals section's header (3.1.1.3.1.1) and the number of sequences.
    """
    if not block:  # for the decoder to refuse
        return False
    kind, form = block[0] & 3, block[0] >> 2 & 3
    if kind < 2:  # raw or one repeated byte: 5, 12 or 20 bits of size
        length, shift = ((1, 3), (2, 4), (1, 3), (3, 4))[form]
        size = int.from_bytes(block[:length], "little") >> shift if kind == 0 else 1
    else:  # two sizes of 10, 10, 14 or 18 bits; the second is the compressed one
        length, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        size = int.from_bytes(block[:length], "little") >> 4 + bits & (1 << bits) - 1
    sequences = block[length + size:][:4]
    if not sequences or sequences[0] == 0:
        return False
    if sequences[:2] == b"\x80\0":
        return True
    at = 1 if sequences[0] < 128 else 2 if sequences[0] < 255 else 3
    return len(sequences) > at and bool(sequences[at] & 3)


class Container:
    """Reads frame after frame; a fault in one does not hide the others."""

    def __init__(self, file, report):
        self.file, self.report = file, report
        self.size = file.seek(0, os.SEEK_END)
        self.starts = self.starts_of_table()
        self.seen = 0  # how far the blocks of frames have led
        self.sizes = []  # per frame: compressed and text size, None where not known
        self.is_done = False  # whether nothing more of the file is examined
        self.end_lost = False

    def read(self, position, count):
        self.file.seek(position)
        return self.file.read(count)

    def texts(self):
        """Yields the number and the text of each frame; the text is None where it is lost."""
        position = 0
        if self.size == 0:
            self.lose_end("container.empty", 0)
        while not self.is_done and position < self.size:
            magic = self.read(position, 4)
            if magic == FRAME_MAGIC:
                text, end = self.frame(position)
                yield len(self.sizes), text
                position = end if text is not None else self.after_lost(position, end)
            elif is_skippable(magic):
                position = self.skippable(position)
            elif position and self.next_start(position - 1) == position:
                self.sizes.append((None, None))
                self.report.add("container.frame_header", frame=len(self.sizes), byte=position)
                yield len(self.sizes), None
                position = self.after_lost(position, None)
            elif len(magic) < 4 and any(whole.startswith(magic) for whole in (FRAME_MAGIC, TABLE_MAGIC)):
                self.lose_end("container.truncated", position)
            elif position == 0:
                self.lose_end("container.not_zstd", 0)
            else:
                self.report.add("container.trailing", byte=position)
                position = self.next_start(position) or self.lose_end()
                if not self.is_done:
                    yield len(self.sizes), None
        if not self.is_done:
            self.report.add("container.seek_table_missing", byte=self.size)

    def lose_end(self, code=None, position=None):
        """Reports, if there is something to report, and gives up the rest of the file."""
        if code:
            self.report.add(code, byte=position)
        self.is_done = self.end_lost = True

    def after_lost(self, position, end):
        """Where reading goes on after a frame that is lost: the seek table knows best, and without
        one the frame's end counts only where something starts there."""
        if self.starts:
            return self.next_start(position) or self.lose_end()
        magic = FRAME_MAGIC if end is None or end == self.size else self.read(end, 4)
        return end if end is not None and (magic == FRAME_MAGIC or is_skippable(magic)) else self.lose_end()

    def frame(self, position):
        """Decodes one frame; returns its text, or None, and its end, or None."""
        number = len(self.sizes) + 1
        place = {"frame": number, "byte": position}
        self.sizes.append((None, None))
        try:
            header = FrameHeader(self.read(position, 18))
            if header.dictionary:
                fault = "container.dictionary"
            elif header.window > MAX_WINDOW:
                fault = "container.window"
            else:
                fault = None
                if not header.checksum:
                    self.report.add("container.checksum_missing", **place)
                if header.content_size is None:
                    self.report.add("container.content_size_missing", **place)
            text, end, fault = self.blocks(position, header, fault)
        except Fault as stopped:
            self.report.add(stopped.code, **place)
            return None, None
        if fault:
            self.report.add(fault, **place)
            self.sizes[-1] = (end - position, None)
            return None, end
        self.sizes[-1] = (end - position, len(text))
        if header.content_size not in (None, len(text)):
            self.report.add("container.content_size", expected=header.content_size, found=len(text), **place)
        if not text:
            self.report.add("container.frame_empty", **place)
        return bytes(text), end

    def blocks(self, start, header, fault):
        """Decodes block by block, at most 128 KiB of text at a time, so that no frame can
        expand beyond the limit; after a fault it only looks for the end of the frame. Of a frame
        whose blocks are not all there, it does not matter what they hold."""
        decoder = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj()
        text, last, stated = bytearray(), False, fault
        # What was followed once is not followed again: a frame that begins there ends where the table says.
        limit = self.next_start(start) or self.size if start < self.seen else self.size
        position = start + header.length
        if not fault:
            decoder.decompress(header.for_decoder)
        while not last:
            self.seen = max(self.seen, position)
            word = int.from_bytes(self.read(position, 3), "little")
            last, kind, size = word & 1, word >> 1 & 3, word >> 3
            end = position + 3 + (1 if kind == 1 else size)
            if position + 3 <= limit and (kind == 3 or size > MAX_BLOCK):
                raise Fault(stated or "container.frame_corrupt", position)
            if end + 4 * last * header.checksum > limit:
                cut = "container.frame_corrupt" if self.starts else "container.truncated"
                raise Fault(stated or cut, position)
            if not fault:
                try:
                    block = self.read(position, end - position)
                    decoded = decoder.decompress(block)
                    text += decoded
                except zstandard.ZstdError:
                    fault = "container.frame_corrupt"
                if not fault and (len(decoded) > header.largest_block or kind == 2 and is_read_in_two_ways(block[3:])):
                    fault = "container.frame_corrupt"
                if len(text) > MAX_FRAME:
                    fault, text = "container.frame_limit", bytearray()
            position = end
        if header.checksum:
            if not fault:
                try:
                    decoder.decompress(self.read(position, 4))
                except zstandard.ZstdError:
                    fault = "container.checksum"
            position += 4
        self.seen = max(self.seen, position)
        return text, position, fault

    def skippable(self, position):
        """Checks the seek table, which ends the bundle, or reports another skippable frame."""
        head = self.read(position, 8)
        if len(head) < 8:
            return self.lose_end("container.truncated", position)
        end = position + 8 + struct.unpack("<I", head[4:])[0]
        is_table, after = head[:4] == TABLE_MAGIC, self.read(end, 4)
        ends_like_table = self.size >= 17 and self.read(self.size - 4, 4) == TABLE_END
        starts_nothing = after != FRAME_MAGIC and not is_skippable(after)
        count = self.count_of_table(position, end)
        if count is not None:
            self.is_done = True
            self.compare_table(position + 8, count)
            if end < self.size:
                self.lose_end("container.trailing", end)
        elif is_table and end > self.size and not ends_like_table:
            self.lose_end("container.truncated", position)
        elif is_table and starts_nothing or end == self.size and ends_like_table:
            self.is_done = True
            self.report.add("container.seek_table", byte=position)
        else:
            self.report.add("container.skippable", byte=position)
            return end if end <= self.size else self.lose_end()
        return None

    def count_of_table(self, position, end):
        """The number of frames in a well-formed seek table that lies there, else None."""
        if position < 0 or end > self.size or end - position < 17 or self.read(position, 4) != TABLE_MAGIC:
            return None
        length = struct.unpack("<I", self.read(position + 4, 4))[0]
        count, descriptor, magic = struct.unpack("<IB4s", self.read(end - 9, 9))
        sound = length == end - position - 8 == 8 * count + 9 and descriptor == 0 and magic == TABLE_END
        return count if sound else None

    def compare_table(self, position, count):
        if count != len(self.sizes):
            return self.report.add("container.seek_table_mismatch", byte=position - 8, expected=len(self.sizes), found=count)
        for index, entry in enumerate(struct.iter_unpack("<II", self.read(position, 8 * count))):
            if any(known not in (None, stated) for known, stated in zip(self.sizes[index], entry)):
                return self.report.add("container.seek_table_mismatch", frame=index + 1, byte=position + 8 * index)

    def starts_of_table(self):
        """Where frames start, by a seek table that fits the file; only used to go on after a loss."""
        count = struct.unpack("<I", self.read(self.size - 9, 4))[0] if self.size >= 17 else 0
        position = self.size - 17 - 8 * count
        if position < SMALLEST_FRAME * count or self.count_of_table(position, self.size) is None:
            return None
        starts = [0]
        for compressed, _ in struct.iter_unpack("<II", self.read(position + 8, 8 * count)):
            starts.append(starts[-1] + compressed)
        return starts if starts[-1] == position else None

    def next_start(self, position):
        index = bisect.bisect_right(self.starts or [], position)
        return self.starts[index] if self.starts and index < len(self.starts) else None
