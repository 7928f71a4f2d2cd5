"""The protocol between vi-asr and an engine program, for engines in Python.

docs/engines.md describes it. An engine is an object with

    name                      the program's name, for messages
    missing() -> str | None   what it lacks here, in one line; quick
    load() -> str             loads the model once, returns the engine's name
    recognise(take, audio, partial) -> str
                              the text of one take; audio yields blocks of
                              samples until the end, partial(committed, draft)
                              may be called with what was heard so far

and ends its program with sys.exit(run(Engine)). Standard error never holds
text: what goes wrong is told by a Failure, whose kind and code are all that
leaves this module.
"""

import argparse
import array
import ctypes
import json
import operator
import os
import select
import signal
import stat
import sys

RATE = 16000  # Hz, the only rate of vi.take/1
BLOCK = RATE // 4 * 2  # bytes read at a time: 250 ms of s16le
MAX_LINE = 16 << 20  # bytes, as in every reader of these records
MAX_AUDIO = 2 * RATE * 3600  # bytes of one take: an hour
# Seconds without one byte of audio before a take fails. A recorder that is
# alive sends a block every few milliseconds, silence included.
STALL = 60
EX_USAGE, EX_UNAVAILABLE, EX_SOFTWARE = 64, 69, 70


class Failure(Exception):
    """Ends a take with an error event. Neither word may hold dictated text."""

    def __init__(self, kind, code):
        super().__init__(kind, code)
        self.kind, self.code = kind, code


class Take:
    """One vi.take/1 request."""

    def __init__(self, record):
        audio = _member(record, "audio", dict)
        self.id = _member(record, "id", str)
        self.path = _member(audio, "path", str)
        self.language = record.get("language") or ""
        self.hints = record.get("hints") or []
        if record.get("schema") != "vi.take/1":
            raise Failure("record", "schema")
        if not isinstance(self.language, str):
            raise Failure("record", "language")
        if not isinstance(self.hints, list) or not all(isinstance(h, str) for h in self.hints):
            raise Failure("record", "hints")
        form = audio.get("format"), audio.get("rate"), audio.get("channels")
        if form != ("s16le", RATE, 1):
            raise Failure("audio", "format")

    def primary_language(self):
        """The first part of the BCP 47 tag, "" when the engine may choose."""
        tag = self.language.lower().partition("-")[0]
        return "" if tag in ("auto", "und", "mul") else tag


def _member(record, name, kind):
    value = record.get(name) if isinstance(record, dict) else None
    if not isinstance(value, kind) or not value:
        raise Failure("record", name)
    return value


def blocks(path):
    """Yields the samples of a file or FIFO, BLOCK bytes or less at a time,
    in whole samples, until its end."""
    try:
        # Without O_NONBLOCK the open itself would wait for a writer for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as e:
        raise Failure("audio", "open_" + (e.strerror or "failed")) from None
    try:
        mode = os.fstat(fd).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
            raise Failure("audio", "not_a_file")
        yield from _samples(fd)
    finally:
        os.close(fd)


def _samples(fd):
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    held, total = b"", 0
    while True:
        # A FIFO that no writer has opened yet shows neither POLLIN nor POLLHUP.
        if not poll.poll(STALL * 1000):
            raise Failure("timeout", "no_audio")
        try:
            data = os.read(fd, BLOCK - len(held))
        except BlockingIOError:
            continue
        held += data
        total += len(data)
        if total > MAX_AUDIO:
            raise Failure("audio", "too_long")
        if not data or len(held) == BLOCK:
            whole = len(held) & ~1  # half a sample at the end is dropped
            if whole:
                yield held[:whole]
            held = held[whole:]
        if not data:
            return


class Levels:
    """Tells speech from silence and steady noise by the loudness of 20 ms
    frames alone: speech moves, a fan does not."""

    FRAME = RATE // 50
    ABOVE = 8.0  # power ratio, 9 dB: how far speech stands above the floor
    QUIETEST = 33.0  # RMS of a sample, -60 dBFS: below it nothing is speech
    ENOUGH = 8  # frames, 160 ms: less than the shortest word is a click

    RECENT = 1500  # frames, half a minute: what the floor is taken from

    def __init__(self):
        self._powers, self._rest = [], array.array("h")
        self.heard = False  # whether anything so far can be speech

    def feed(self, data):
        samples = array.array("h", data)
        if sys.byteorder == "big":
            samples.byteswap()
        self._rest.extend(samples)
        n = self.FRAME
        whole = len(self._rest) // n * n
        for i in range(0, whole, n):
            frame = self._rest[i : i + n]
            mean = sum(frame) / n  # a cheap sound card adds a constant
            self._powers.append(sum(map(operator.mul, frame, frame)) / n - mean * mean)
        del self._rest[:whole]
        del self._powers[: -self.RECENT]
        if not self.heard:
            limit = self._threshold()
            self.heard = sum(p > limit for p in self._powers) >= self.ENOUGH

    def _threshold(self):
        # Digital silence is a muted microphone, not the noise of the room.
        sounding = sorted(p for p in self._powers if p > 1)
        floor = sounding[len(sounding) // 10] if sounding else 0
        return max(floor * self.ABOVE, self.QUIETEST**2)

    def pause_ms(self):
        """How long it has been quiet, up to a second."""
        limit = self._threshold()
        quiet = 0
        for p in reversed(self._powers[-50:]):
            if p > limit:
                break
            quiet += 20
        return quiet


def die_with_parent():
    """Has the kernel end this process when the one that started it dies.
    Standard input closes then too, but only a process between two takes
    would notice that."""
    parent = os.getppid()
    try:
        prctl = ctypes.CDLL(None).prctl
        prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong]
        prctl(1, signal.SIGTERM, 0, 0, 0)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        return  # not Linux
    if os.getppid() != parent:
        os._exit(0)


class _Arguments(argparse.ArgumentParser):
    def error(self, message):
        print(f"{self.prog}: error: {message}", file=sys.stderr)
        sys.exit(EX_USAGE)


def run(make):
    """Is the program: make(model) is the engine, model None or what --model
    said. Returns the exit status."""
    p = _Arguments(description=make.__doc__, allow_abbrev=False)
    p.add_argument("--check", action="store_true", help="only say whether it can run here: status 0 or 69")
    p.add_argument("--model", metavar="NAME|PATH", help="the model to load")
    options = p.parse_args()
    engine = make(options.model)
    return _check(engine) if options.check else _serve(engine)


def _serve(engine):
    die_with_parent()
    # SystemExit runs the finally clauses that end what the engine started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    # A library that prints must not get between the records.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace", newline="\n")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        if _check(engine) != 0:
            return EX_UNAVAILABLE
        try:
            title = engine.load()
        except Failure as e:
            print(f"{engine.name}: error: cannot load the model: {e.kind} {e.code}", file=sys.stderr)
            return EX_UNAVAILABLE
        _loop(engine, title, out)
        return 0
    except BrokenPipeError:
        return 0  # nobody listens any more
    except Exception as e:  # a traceback could show what was said
        print(f"{engine.name}: error: {type(e).__name__}", file=sys.stderr)
        return EX_SOFTWARE
    finally:
        # From here on a signal would interrupt the end of Python itself.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        close = getattr(engine, "close", None)
        if close:
            close()


def _check(engine):
    lack = engine.missing()
    if lack is None:
        return 0
    print(f"{engine.name}: error: {lack}", file=sys.stderr)
    return EX_UNAVAILABLE


def _loop(engine, title, out):
    def emit(kind, reason="ok", /, **members):
        record = {"schema": "vi.asr/1", "reason": reason, "type": kind, **members}
        out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
        out.flush()

    emit("ready", engine=title)
    while True:
        line = sys.stdin.buffer.readline(MAX_LINE + 1)
        if not line:
            return
        if not line.strip():
            continue
        identity = {}
        try:
            if len(line) > MAX_LINE:
                while line and not line.endswith(b"\n"):
                    line = sys.stdin.buffer.readline(MAX_LINE)
                raise Failure("record", "too_long")
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                raise Failure("record", "not_json") from None
            if isinstance(record, dict) and isinstance(record.get("id"), str):
                identity = {"take": record["id"]}
            _one(engine, title, Take(record), identity, emit)
        except Failure as e:
            emit("error", "failed", kind=e.kind, code=_code(e.code), **identity)
        except BrokenPipeError:
            raise
        except Exception as e:  # a fault of the engine costs one take, not all
            emit("error", "failed", kind="engine", code=type(e).__name__, **identity)


def _one(engine, title, take, identity, emit):
    levels, last = Levels(), None

    def audio():
        for data in blocks(take.path):
            levels.feed(data)
            yield data

    def partial(committed, draft):
        nonlocal last
        if levels.heard and (committed, draft) != last:
            last = committed, draft
            said = {"committed": committed, "draft": draft}
            emit("partial", **identity, **{k: v for k, v in said.items() if v})

    take.levels = levels
    text = engine.recognise(take, audio(), partial).strip()
    if text and levels.heard:
        emit("final", **identity, text=text, engine=title, outcome="usable")
    else:
        emit("final", "no_speech", **identity, engine=title, outcome="empty")


def _code(text):
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in text)[:64]


def data_home():
    """Where voice-input keeps what it downloads: $XDG_DATA_HOME/voice-input."""
    home = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(home):
        home = os.path.expanduser("~/.local/share")
    return os.path.join(home, "voice-input")
