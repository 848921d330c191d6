#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""make.py: write the captures little.bidx and big.bidx, byte by byte.

These were made once, with version 1 of the format, and are what a reader must still read
when the format has grown: they are never made again (a new member gets a new capture
beside them). The script is here to say what is in them; test_records.c knows every field,
and the program's machine code is that of x86-64 in both.
"""
import hashlib
import os
import struct

LOST, OBJECT, MAP, BPF_LOAD, BPF_UNLOAD, KSYM, MODULE = range(1, 8)
GONE, ADOPTED, NO_ADDRESS, CUT = 1, 2, 4, 8
NO_JIT, NO_BTF, NO_STRINGS, NO_IMAGE, GPL = 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12

SECOND = 1000000000


class Texts:
    def __init__(self):
        self.bytes = b'\0'

    def add(self, text):
        if not text:
            return 0
        at = self.bytes.find(b'\0' + text.encode() + b'\0')
        if at >= 0:
            return at + 1
        at = len(self.bytes)
        self.bytes += text.encode() + b'\0'
        return at


def padded(b, size):
    assert len(b) <= size
    return b + b'\0' * (size - len(b))


def up(n, to):
    return (n + to - 1) // to * to


class Capture:
    def __init__(self, order):
        self.o = order
        self.out = b''

    def pack(self, fmt, *values):
        return struct.pack(self.o + fmt, *values)

    def start(self, realtime, release, machine):
        self.out += b'bidxrec\0' + self.pack('IHHq', 0x01020304, 1, 128, realtime)
        self.out += padded(release, 72) + padded(machine, 32)

    def record(self, kind, seq, time, fixed, tail=b''):
        """fixed: the fixed part behind its header, tail: the sections"""
        size = 24 + len(fixed) + len(tail)
        assert len(fixed) % 8 == 0 and len(tail) % 8 == 0
        self.out += self.pack('IHHQQ', size, kind, 24 + len(fixed), seq, time) + fixed + tail

    def sections(self, start, parts):
        """offset and length of each, and the bytes"""
        sects, tail, at = b'', b'', start
        for part in parts:
            sects += self.pack('II', at if part else 0, len(part))
            tail += padded(part, up(len(part), 8))
            at += up(len(part), 8)
        return sects, tail

    def obj(self, number, ident, status=0):
        return self.pack('QIIQIHBBQqHB5x', number, 8, 1, 4711, 3, status, 1, 1, 123456,
                         1700000000 * SECOND + 1, len(ident), 0) + padded(ident, 128)

    def file_record(self, kind, seq, time, middle, path, pid, tid, uid, comm):
        texts = Texts()
        text = texts.add(path)
        fixed = middle + self.pack('IIII', pid, tid, uid, text) + padded(comm, 16)
        sects, tail = self.sections(24 + len(fixed) + 8, [texts.bytes if path else b''])
        self.record(kind, seq, time, fixed + sects, tail)

    def bpf(self, seq, obj, flags, number, name, funcs, maps, times, who, extra_func=0,
            extra_line=0, image=True, attach=(0, '', 0)):
        """funcs: (name, address, code, [(offset, file, text, line, column)])"""
        texts = Texts()
        func_each, line_each = 32 + extra_func, 20 + extra_line
        funcs_b = lines_b = image_b = b''
        ident = b'bidxbpf\0' + struct.pack('<I', len(funcs))
        count = 0
        for fname, address, code, lines in funcs:
            funcs_b += self.pack('QIIIIII', address, len(code), texts.add(fname), len(image_b),
                                 count, len(lines), 0) + b'\xee' * extra_func
            ident += fname.encode() + b'\0' + struct.pack('<II', len(code), len(lines))
            before = (None, None)
            for off, path, text, line, col in lines:
                lines_b += self.pack('IIIII', off, texts.add(path), texts.add(text), line,
                                     col) + b'\xee' * extra_line
                same = (path == before[0]) | (text == before[1]) << 1
                ident += struct.pack('<IIII', off, line, col, same)
                ident += b'' if same & 1 else path.encode() + b'\0'
                ident += b'' if same & 2 else text.encode() + b'\0'
                before = (path, text)
            count += len(lines)
            image_b += padded(code, up(len(code), 16))
        build_id = hashlib.sha256(ident).digest()[:20]
        name_text = texts.add(name)
        attach_text = texts.add(attach[1])
        maps_b = b''.join(self.pack('I', m) for m in maps)
        load, unload = times
        pid, tid, uid, comm = who
        fixed = self.pack('QIIIIIIIIIIIIIIQQ', obj, flags, number, 26, 24, attach[0], attach_text,
                          attach[2], 77, pid, tid, uid, 0, 0, name_text, load, unload)
        fixed += bytes(range(1, 9)) + build_id + self.pack('HH', func_each, line_each)
        fixed += padded(comm, 16) + padded(b'', 16)
        sects, tail = self.sections(24 + len(fixed) + 40,
                                    [funcs_b, lines_b, image_b if image else b'', maps_b,
                                     texts.bytes])
        self.record(BPF_LOAD, seq, load, fixed + sects, tail)
        return build_id

    def unload(self, seq, time, obj, number, load, build_id, who):
        pid, tid, comm = who
        self.record(BPF_UNLOAD, seq, time,
                    self.pack('QIIIIQ', obj, GONE, number, pid, tid, load) + bytes(range(1, 9)) +
                    build_id + self.pack('I', 0) + padded(comm, 16))

    def ksym(self, seq, time, obj, flags, kind, addr, size, load, unload, name, extra=b''):
        self.record(KSYM, seq, time,
                    self.pack('QIIQQQQ', obj, flags, kind, addr, size, load, unload) +
                    padded(name, 128) + extra)

    def module(self, seq, time, obj, flags, ident, addr, size, vaddr, load, unload, name):
        self.record(MODULE, seq, time,
                    self.pack('QIIQQQQQ', obj, flags, len(ident), addr, size, vaddr, load,
                              unload) + padded(ident, 32) + padded(name, 64))


# push %rbp; mov %rsp,%rbp; xor %eax,%eax; call helper; leave; ret
MAIN = bytes.fromhex('554889e531c0e815000000c9c3')
# mov $0x2a,%eax; ret
HELPER = bytes.fromhex('b82a000000c3')
assert len(MAIN) == 13

FILE = '/build/golden/prog.bpf.c'
HEADER = './include/helper.h'


def write(path, order, machine):
    c = Capture(order)
    c.start(1700000000 * SECOND, b'6.12.0-golden', machine)
    # What was there when the capture was begun: seq 0
    c.module(0, 0, 1, ADOPTED, bytes(range(0x10, 0x24)), 0xffffffff81000000, 0x1000000,
             0xffffffff81000000, 0, 0, b'vmlinux')
    c.ksym(0, 0, 2, ADOPTED, 1, 0xffffffffc0300000, 4096, 0, 0, b'bpf_trampoline_6442462665')
    # Then as it came
    c.module(10, 5 * SECOND, 3, 0, bytes(range(0x30, 0x44)), 0xffffffffc0201000, 0x2000, 0,
             5 * SECOND, 0, b'golden_mod')
    prog = [
        ('golden_main', 0xffffffffc0001000, MAIN,
         [(0, FILE, 'int golden_main(void *ctx)', 7, 5),
          (4, FILE, '\treturn helper() + 1;', 9, 9),
          (6, FILE, '\treturn helper() + 1;', 9, 16)]),
        ('helper', 0xffffffffc0001020, HELPER,
         [(0, HEADER, 'static __noinline int helper(void)', 3, 1),
          (0, HEADER, '\treturn 42;', 5, 2)]),
    ]
    # the call goes from the end of its instruction at 11 to 32
    id_a = c.bpf(11, 4, GPL, 12, 'golden_main', prog, [21, 22], (10 * SECOND + 1, 0),
                 (1234, 1235, 1000, b'loader'), attach=(4242, 'vfs_read', 0))
    c.ksym(12, 10 * SECOND + 2, 5, 0, 2, 0xffffffffc0300800, 4096, 10 * SECOND + 2, 0,
           b'ftrace_trampoline', extra=b'\xee' * 8)
    c.unload(13, 20 * SECOND, 4, 12, 10 * SECOND + 1, id_a, (77, 78, b'closer'))
    # Another one, at the same address and with the same number, without BTF; members and
    # elements are longer than version 1 has them
    c.bpf(14, 6, NO_BTF | NO_IMAGE | ADOPTED, 12, '', [('', 0xffffffffc0001000, b'\x90' * 40, [])],
          [], (21 * SECOND, 0), (0, 0, 0, b''), extra_func=16, extra_line=4, image=False)
    c.module(15, 30 * SECOND, 3, GONE, bytes(range(0x30, 0x44)), 0xffffffffc0201000, 0x2000, 0,
             5 * SECOND, 30 * SECOND, b'golden_mod')
    c.file_record(OBJECT, 16, 31 * SECOND, c.obj(1001, bytes(range(0x50, 0x64))),
                  '/usr/bin/golden', 500, 501, 1000, b'golden')
    c.file_record(MAP, 17, 32 * SECOND, c.obj(1001, bytes(range(0x50, 0x64))) +
                  c.pack('QQQ', 0x555500001000, 0x3000, 0x1000), '', 500, 501, 1000, b'golden')
    c.record(LOST, 18, 33 * SECOND, c.pack('Q', 5))
    c.record(99, 23, 34 * SECOND, b'\xaa' * 16)
    c.ksym(24, 35 * SECOND, 5, GONE, 2, 0xffffffffc0300800, 4096, 10 * SECOND + 2, 35 * SECOND,
           b'ftrace_trampoline')
    # The writer was killed
    c.out += c.pack('IHH', 4096, BPF_LOAD, 240) + b'\0' * 12
    with open(path, 'wb') as f:
        f.write(c.out)


here = os.path.dirname(os.path.abspath(__file__))
write(here + '/little.bidx', '<', b'x86_64')
write(here + '/big.bidx', '>', b's390x')
