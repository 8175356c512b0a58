"""A folder on a disk that does as it is told (FUSE): what is written to MOUNT lies in BEHIND, and the file CONTROL holds
what every operation meets: `well`, `takes SECONDS`, `hangs`, or the names of the errors that operations fail with, such
as `ENOSPC` for those that need room, `EROFS` for those that change something, `ENOENT` for all.

    python3 slow-folder.py BEHIND MOUNT CONTROL

A line on standard output for what happens: `ready`, `held` for an operation that begins to hang. Ends and takes the
mount away when its standard input ends, as it does when whoever started it is gone.
"""

import errno
import os
import signal
import subprocess
import sys
import threading
import time

from fusepy import FUSE, Operations, fuse_get_context

BEHIND, MOUNT, CONTROL = sys.argv[1:]
POLL_SECONDS = 0.02
NEEDS_ROOM = {'mkdir', 'write'}
CHANGES = NEEDS_ROOM | {'create', 'truncate', 'unlink', 'rmdir', 'rename', 'chmod', 'utimens'}
ended = threading.Event()


def told():
    with open(CONTROL) as file:
        return file.read()


def is_killed(thread):
    """Whether the thread that asks is being killed. As on a network disk, that ends its wait."""
    try:
        with open(f'/proc/{thread}/status') as file:
            pending = next(line for line in file if line.startswith('SigPnd'))
    except OSError:
        return True
    return bool(int(pending.split()[1], 16) & 1 << signal.SIGKILL - 1)


def say(line):
    os.write(1, f'{line}\n'.encode())


def meet(operation):
    """Lets an operation meet what the disk is told to be."""
    kind, _, seconds = told().partition(' ')
    if kind == 'takes':
        time.sleep(float(seconds))
    elif kind == 'hangs':
        say('held')
        thread = fuse_get_context()[2]
        while told() == 'hangs':
            if ended.is_set() or is_killed(thread):
                raise OSError(errno.EINTR, 'the wait was ended')
            time.sleep(POLL_SECONDS)
    elif kind != 'well':
        meant = {'ENOSPC': NEEDS_ROOM, 'EROFS': CHANGES}.get(kind)
        if meant is None or operation in meant:
            raise OSError(getattr(errno, kind), kind)


class Behind(Operations):
    """The operations that the host, Node and a shell need of a folder."""

    def __call__(self, operation, *arguments):
        if operation not in ('init', 'destroy'):
            meet(operation)
        return super().__call__(operation, *arguments)

    def init(self, path):
        say('ready')

    def getattr(self, path, fh=None):
        stat = os.lstat(BEHIND + path)
        names = ('st_atime', 'st_ctime', 'st_gid', 'st_mode', 'st_mtime', 'st_nlink', 'st_size', 'st_uid')
        return {name: getattr(stat, name) for name in names}

    def readdir(self, path, fh):
        return ['.', '..', *os.listdir(BEHIND + path)]

    def mkdir(self, path, mode):
        os.mkdir(BEHIND + path, mode)

    def create(self, path, mode, fi=None):
        return os.open(BEHIND + path, os.O_RDWR | os.O_CREAT, mode)

    def open(self, path, flags):
        return os.open(BEHIND + path, flags)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(BEHIND + path, length)

    def release(self, path, fh):
        os.close(fh)

    def unlink(self, path):
        os.unlink(BEHIND + path)

    def rmdir(self, path):
        os.rmdir(BEHIND + path)

    def chmod(self, path, mode):
        os.chmod(BEHIND + path, mode)

    def utimens(self, path, times=None):
        os.utime(BEHIND + path, times)


def end_with_input():
    while os.read(0, 1):
        pass
    ended.set()
    subprocess.run(['fusermount', '-uz', MOUNT])
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
FUSE(Behind(), MOUNT, foreground=True, attr_timeout=0, entry_timeout=0)
