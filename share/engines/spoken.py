"""How a written term is said: "vi-session" is V AY S EH SH AH N, among others.

variants(term, lexicon) is a pure function. The lexicon maps a lower-case word
to its pronunciations in the phones of the CMU dictionary, the commonest first.
"""

import itertools
import re
import unicodedata

MOST = 8  # pronunciations of one term; each makes the decoder's search wider
SHORT_WORDS = "do go in my no on re to un up".split()  # may begin a coined word
MOST_PIECES, MOST_LETTERS = 12, 80  # a longer term is a path or a sentence: nobody dictates it

LETTERS = dict(
    a="EY", b="B IY", c="S IY", d="D IY", e="IY", f="EH F", g="JH IY", h="EY CH", i="AY", j="JH EY",
    k="K EY", l="EH L", m="EH M", n="EH N", o="OW", p="P IY", q="K Y UW", r="AA R", s="EH S", t="T IY",
    u="Y UW", v="V IY", w="D AH B AH L Y UW", x="EH K S", y="W AY", z="Z IY",
)  # fmt: skip

# Pieces that programmers say otherwise than the rules below would. A value is
# a list of ways; a way is words of the lexicon, CAPITALS to be spelled, or
# /phones/. A piece that is nowhere here is a word, a compound or spelled.
PIECES = {
    "arg": ["/AA R G/"], "args": ["/AA R G Z/"], "async": ["/EY S IH NG K/"], "auth": ["/AO TH/"],
    "bool": ["/B UW L/"], "cgo": ["C go"], "char": ["/CH AA R/", "/K EH R/"], "chars": ["/CH AA R Z/", "/K EH R Z/"],
    "cli": ["CLI"], "cmd": ["command", "CMD"], "config": ["/K AH N F IH G/", "/K AA N F IH G/"], "cron": ["/K R AA N/"],
    "ctl": ["control", "CTL"], "ctx": ["context", "CTX"], "cwd": ["CWD"], "db": ["DB"], "deb": ["/D EH B/"],
    "dev": ["/D EH V/"], "dir": ["/D IH R/", "/D ER/"], "env": ["/EH N V/"], "exec": ["/EH G Z EH K/"],
    "fd": ["FD"], "fmt": ["format", "FMT"], "func": ["/F AH NG K/"], "git": ["/G IH T/"], "glob": ["/G L AA B/"],
    "gnu": ["/G N UW/"], "grep": ["/G R EH P/"], "gtk": ["GTK"], "gui": ["GUI", "/G UW IY/"], "http": ["HTTP"], "id": ["ID"],
    "impl": ["/IH M P AH L/"], "init": ["/IH N IH T/", "/AH N IH T/"], "int": ["/IH N T/"], "io": ["IO"],
    "jieba": ["/JH IY EH B AH/", "/JH Y EH B AH/"], "js": ["JS"], "json": ["jason", "/JH EY S AA N/"],
    "kube": ["/K Y UW B/", "/K UW B/"], "len": ["/L EH N/"], "lib": ["/L IH B/"], "linux": ["/L IH N AH K S/"],
    "lsp": ["LSP"], "max": ["/M AE K S/"], "md": ["MD"], "mime": ["/M AY M/"], "mutex": ["/M Y UW T EH K S/"],
    "mux": ["/M AH K S/"], "nginx": ["engine X"], "nix": ["/N IH K S/"], "npm": ["NPM"], "num": ["/N AH M/"],
    "oauth": ["O /AO TH/"], "param": ["/P AE R AE M/"], "params": ["/P AE R AE M Z/"], "pdf": ["PDF"], "pid": ["/P IH D/", "PID"],
    "png": ["PNG"], "postgres": ["/P OW S T G R EH S/"], "proc": ["/P R AA K/"], "pwd": ["PWD"],
    "py": ["/P AY/", "PY"], "qwen": ["/K W EH N/"], "ram": ["/R AE M/"], "readme": ["read me"], "redis": ["/R EH D IH S/"],
    "regex": ["/R EH JH EH K S/", "/R EH G EH K S/"], "repo": ["/R IY P OW/"], "repl": ["/R EH P AH L/"],
    "rpc": ["RPC"], "sha": ["/SH AA/"], "sqlite": ["SQ light", "sequel light"], "sql": ["sequel", "SQL"], "src": ["source", "SRC"], "ssh": ["SSH"],
    "std": ["standard", "STD"], "stdin": ["standard in", "STD in"], "stderr": ["standard error", "STD error"],
    "stdout": ["standard out", "STD out"], "str": ["string", "STR"], "sudo": ["/S UW D UW/", "/S UW D OW/"],
    "sync": ["/S IH NG K/"], "sys": ["/S IH S/"], "tmp": ["temp", "TMP"], "toml": ["/T AA M AH L/"], "ts": ["TS"],
    "tts": ["TTS"], "tty": ["TTY"], "uid": ["UID"], "ui": ["UI"], "url": ["URL", "/ER L/"], "usr": ["user", "USR"],
    "utf": ["UTF"], "utils": ["/Y UW T AH L Z/"], "var": ["/V AA R/", "/V EH R/"], "vi": ["/V AY/", "VI"],
    "wav": ["/W EY V/", "/W AE V/"], "xdg": ["XDG"], "xdo": ["X do"], "xml": ["XML"], "yaml": ["/Y AE M AH L/"], "zsh": ["Z shell", "ZSH"],
}  # fmt: skip

SIGNS = {".": "dot", "/": "slash", "-": "dash", "_": "underscore", "@": "at", "+": "plus", "#": "sharp"}
SILENT = "./-_@"  # mostly left out, unlike those of C++ and C#
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

# Letter-to-sound rules: what stands before, the letters, what follows, the
# phones. The first rule that fits is taken; they serve coined names, so they
# are short: every English word worth knowing is in the dictionary.
V, C = "[aeiouy]", "[bcdfghjklmnpqrstvwxz]"
RULES = [
    ("", "tion", "", "SH AH N"), ("", "ture", "$", "CH ER"), ("", "ight", "", "AY T"), ("", "eigh", "", "EY"),
    ("", "ough", "", "AO"), ("", "augh", "", "AO"), ("", "tch", "", "CH"), ("", "dge", "", "JH"), ("", "sch", "", "SH"),
    ("", "que", "$", "K"), ("", "igh", "", "AY"), ("", "ing", "$", "IH NG"), ("", "ck", "", "K"), ("", "ch", "", "CH"),
    ("", "sh", "", "SH"), ("", "th", "", "TH"), ("", "ph", "", "F"), ("^", "wh", "", "W"), ("^", "wr", "", "R"),
    ("^", "kn", "", "N"), ("^", "gn", "", "N"), ("^", "ps", "", "S"), ("", "qu", "", "K W"), ("", "q", "", "K"),
    ("", "ng", "$", "NG"), ("", "nk", "", "NG K"), ("", "gh", "", "G"), ("", "mb", "$", "M"),
    ("", "ee", "", "IY"), ("", "ea", "", "IY"), ("", "oo", "", "UW"), ("", "ou", "", "AW"), ("", "ow", "$", "OW"),
    ("", "ow", "", "AW"), ("", "oi", "", "OY"), ("", "oy", "", "OY"), ("", "ai", "", "EY"), ("", "ay", "", "EY"),
    ("", "au", "", "AO"), ("", "aw", "", "AO"), ("", "ew", "", "UW"), ("", "ei", "", "EY"), ("", "ey", "$", "IY"),
    ("", "ie", "$", "IY"), ("", "ie", "", "IY"), ("", "oa", "", "OW"), ("", "ue", "$", "UW"), ("", "ui", "", "UW"),
    ("", "ar", "", "AA R"), ("", "er", "", "ER"), ("", "ir", "", "ER"), ("", "ur", "", "ER"), ("", "or", "", "AO R"),
    ("", "yr", "$", "ER"), ("", "le", "$", "AH L"), ("", "re", "$", "ER"), ("C", "es", "$", "Z"),
    ("", "a", "Ce$", "EY"), ("", "e", "Ce$", "IY"), ("", "i", "Ce$", "AY"), ("", "o", "Ce$", "OW"),
    ("", "u", "Ce$", "UW"), ("", "y", "Ce$", "AY"), (".", "e", "$", ""), ("", "e", "d$", "IH"),
    ("", "a", "$", "AH"), ("", "i", "$", "IY"), ("", "o", "$", "OW"), ("", "u", "$", "UW"),
    ("^", "y", "V", "Y"), ("^C", "y", "[bdp]r", "AY"), ("^C+", "y", "$", "AY"), ("", "y", "$", "IY"), ("^", "x", "", "Z"), ("", "x", "", "K S"),
    ("", "c", "[eiy]", "S"), ("", "c", "", "K"), ("", "g", "[ey]", "JH"), ("V", "s", "V", "Z"), ("", "a", "", "AE"),
    ("", "e", "", "EH"), ("", "i", "", "IH"), ("", "o", "", "AA"), ("", "u", "", "AH"), ("", "y", "", "IH"),
    ("[bdgkptv]", "r", "$", "ER"), ("", "b", "", "B"), ("", "d", "", "D"), ("", "f", "", "F"), ("", "g", "", "G"), ("", "h", "", "HH"),
    ("", "j", "", "JH"), ("", "k", "", "K"), ("", "l", "", "L"), ("", "m", "", "M"), ("", "n", "", "N"),
    ("", "p", "", "P"), ("", "r", "", "R"), ("", "s", "", "S"), ("", "t", "", "T"), ("", "v", "", "V"),
    ("", "w", "", "W"), ("", "z", "", "Z"),
]  # fmt: skip


def _context(pattern, end):
    pattern = re.sub("V|C", lambda m: {"V": V, "C": C}[m[0]], pattern)
    return re.compile(f"(?:{pattern})$" if end else pattern)


_RULES = [(_context(before, True), letters, _context(after, False), phones) for before, letters, after, phones in RULES]


def variants(term, lexicon):
    """The pronunciations of a term, the likeliest first; none when it holds
    letters that are not Latin or is too long to be dictated."""
    pieces = _split(term) if len(term) <= MOST_LETTERS else []
    if not pieces or len(pieces) > MOST_PIECES:
        return []
    found = []
    for said in (False, True):
        ways = [_ways(p, lexicon) for p in pieces if said or p not in SILENT]
        if not ways or not all(ways):
            continue
        ranked = itertools.islice(itertools.product(*map(enumerate, ways)), 512)
        best = sorted(ranked, key=lambda choice: sum(rank for rank, _ in choice))
        limit = MOST - 2 if not said else MOST
        for choice in best:
            phones = " ".join(p for _, p in choice)
            if len(found) < limit and phones not in found:
                found.append(phones)
    return found


def _split(term):
    """The spoken pieces of a term, with the signs between them."""
    plain = unicodedata.normalize("NFKD", term)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if not plain.isascii():
        return []
    plain = re.sub(r"\b([A-Z]{2,})s\b", lambda m: m[1] + "_S", plain)  # APIs: the plural is not a word
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[./\-_@+#]", plain)
    while parts and parts[0] in SIGNS:
        parts.pop(0)
    while parts and parts[-1] in SILENT:
        parts.pop()
    return parts


def _ways(piece, lexicon):
    """How one piece is said, the likeliest first."""
    if piece in SIGNS:
        return _say(SIGNS[piece], lexicon)
    if piece.isdigit():
        return _number(piece, lexicon)
    word = piece.lower()
    spelled = " ".join(LETTERS[c] for c in word)
    if word in PIECES:
        ways = [w for text in PIECES[word] for w in _say(text, lexicon)]
    elif piece.isupper() and (len(word) <= 3 or not re.search(V, word)):
        ways = [spelled]
    elif word in lexicon:
        ways = list(lexicon[word])
    elif not re.search(V, word):
        ways = [spelled]
    else:
        ways = _compound(word, lexicon) or [_sound(word)]
    if len(word) <= 5 and (piece.isupper() or len(word) <= 3):
        ways.append(spelled)
    return list(dict.fromkeys(ways))[:3]


def _say(text, lexicon):
    """The ways of a value of PIECES."""
    ways = [[]]
    for part in re.findall(r"/[^/]+/|\S+", text):
        if part[0] == "/":
            options = [part.strip("/")]
        elif part.isupper():
            options = [" ".join(LETTERS[c.lower()] for c in part)]
        else:
            options = list(lexicon.get(part) or [_sound(part)])[:2]
        ways = [w + [o] for w in ways for o in options]
    return [" ".join(w) for w in ways][:2]


def _compound(word, lexicon):
    """A coined word as two known ones, or as one with a letter at its end:
    webhook, kubectl, systemd, jsonl."""
    best = None
    for i in range(2, len(word)):
        left, right = word[:i], word[i:]
        if not (left in PIECES or left in SHORT_WORDS or (len(left) > 2 and left in lexicon)):
            continue
        if right in PIECES or (len(right) > 2 and right in lexicon):
            quality = min(len(left), len(right)), 1
        elif len(right) == 1 and right in "dlscvxq" and len(left) > 3:
            quality = 1, 0
        else:
            continue
        if best is None or quality > best[0]:
            best = quality, left, right
    if best is None:
        return _half_known(word, lexicon)
    _, left, right = best
    last = [LETTERS[right]] if len(right) == 1 else _ways(right, lexicon)
    return [f"{a} {b}" for b in last for a in _ways(left, lexicon)][:3]


def _half_known(word, lexicon):
    """A coined word that ends or begins with a known one: hyprland, tmux."""
    for i in range(1, len(word) - 2):
        right = word[i:]
        if right in PIECES or (len(right) > 3 and right in lexicon):
            left = word[:i]
            first = _sound(left) if i > 1 and re.search(V, left) else " ".join(LETTERS[c] for c in left)
            return [f"{first} {w}" for w in _ways(right, lexicon)] + [_sound(word)]
    for i in range(len(word) - 2, 3, -1):
        left = word[:i]
        if left in lexicon and re.search(V, word[i:]):
            return [f"{w} {_sound(word[i:])}" for w in lexicon[left]] + [_sound(word)]
    return []


def _sound(word):
    """The letters of an unknown word by rule."""
    phones, i = [], 0
    while i < len(word):
        if i and word[i] == word[i - 1] and word[i] not in "aeiou":
            i += 1  # a doubled consonant is one sound
            continue
        for before, letters, after, sound in _RULES:
            rest = word[i + len(letters) :]
            if word.startswith(letters, i) and before.search(word[:i]) and after.match(rest):
                phones += sound.split()
                i += len(letters)
                break
        else:
            i += 1
    return " ".join(phones)


def _number(digits, lexicon):
    def words(n):
        if n < 20:
            return [ONES[n]]
        return [TENS[n // 10 - 2]] + ([ONES[n % 10]] if n % 10 else [])

    ways = [[ONES[int(d)] for d in digits]]
    if len(digits) == 2 and digits[0] != "0":
        ways.insert(0, words(int(digits)))
    elif len(digits) == 3 and digits[0] != "0" and digits.endswith("00"):
        ways.insert(0, [ONES[int(digits[0])], "hundred"])
    elif len(digits) == 4 and digits[0] != "0" and digits[2] != "0":
        ways.insert(0, words(int(digits[:2])) + words(int(digits[2:])))
    return [" ".join(_say(w, lexicon)[0] for w in way) for way in ways if len(way) <= 6]
