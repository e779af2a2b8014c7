"""From bytes to plain characters: encodings, digits of other scripts, emoji and their names.

Tested in tests/minefield/reader/test_read.py.
"""

import codecs
import html
import re
import unicodedata
from contextlib import suppress
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.vocabulary import CLUE_NAMES

#: Byte order marks, the longer ones first, since that of UTF-16 begins that of UTF-32.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COLOUR_NAMES: Final = (
    *("white", "black", "red", "blue", "orange", "yellow", "green", "purple", "brown"),
)
_COLOURS: Final = dict(zip(_COLOUR_NAMES, "⬜⬛🟥🟦🟧🟨🟩🟪🟫", strict=True))
#: Emoji by the names that chats give them.
_NAMED: Final = {
    **{name: str(digit) for digit, name in enumerate(CLUE_NAMES)},
    **dict.fromkeys(("bomb", "boom", "collision", "mine"), "💣"),
    **dict.fromkeys(("triangular_flag_on_post", "triangular_flag", "flag"), "🚩"),
    **dict.fromkeys(("hidden", "unknown", "unopened", "covered", "closed"), "?"),
    **dict.fromkeys(("question", "grey_question", "gray_question"), "❓"),
    **{
        name: square
        for colour, square in _COLOURS.items()
        for size in ("", "large_", "medium_", "small_", "medium_small_")
        for name in (f"{colour}_{size}square", f"{size}{colour}_square")
    },
    "black_square_button": "🔲",
    "white_square_button": "🔳",
}
_NAME: Final = re.compile(":([a-z_]+):")
#: An entity whose number is that of no character; Python converts no number of any length.
_TOO_LONG: Final = re.compile("&#[0-9]{20,};?")
#: The marks that put a digit on a key.
_KEYCAP: Final = re.compile("(?<=[0-9#*])\ufe0f?\u20e3")
#: Characters without a width: joiners, directions, and marks that choose how an emoji looks.
_INVISIBLE: Final = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff\u00ad]"
)
#: Signs that look alike, and the plain one for each.
_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("−–—‒‑➖﹣", "-"),
        **dict.fromkeys("·•∙⋅・", "."),
        **dict.fromkeys("、،", ","),
        **dict.fromkeys("؛。।", ";"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’‚`´", "'"),
        **dict.fromkeys("💥🧨☠💀", "💣"),
        **dict.fromkeys("✖✗✘❌×", "x"),
        **dict.fromkeys("◻◽", "⬜"),
        **dict.fromkeys("◼◾", "⬛"),
        "☐": "▢",
        "؟": "?",
        **dict.fromkeys("⚑⚐🏴🏁🏳", "🚩"),
        **dict.fromkeys("❔", "❓"),
        **dict.fromkeys("∗＊✱✳⁎", "*"),
    }
)
#: What may be in Windows-1252 besides letters: blanks, dots, dashes, quotation marks.
_WESTERN_SIGNS: Final = frozenset("\xa0·–—‘’“”„…")
#: Encodings of East Asia, and the first bytes of their symbols, syllables and common characters.
_EAST_ASIAN: Final = {
    "Shift-JIS": ("cp932", frozenset((0x81, 0x82, 0x83, *range(0x88, 0x98)))),
    "GBK": ("gbk", frozenset((0xA1, 0xA3, *range(0xB0, 0xD8)))),
}
#: Signs that files of boards have in those encodings.
_SYMBOLS: Final = frozenset("■□◆◇●○★☆▲△？・＊＃雷爆弾炸弹旗０１２３４５６７８")
#: The escapes of strings.
_ESCAPED: Final = re.compile(r"\\(r\\n|[rnt\\'\"])")
_ESCAPES: Final = {"r\\n": "\n", "r": "\n", "n": "\n", "t": "\t"}
_SPOILER: Final = re.compile(r"\|\|(.*?)\|\|", re.DOTALL)
_BLANK_SPOILER: Final = re.compile(r"\|\|[ \t]+\|\|")
#: Emoji, or their names, side by side, perhaps in spoilers; and a name.
_NAMED_CELLS: Final = re.compile(r"(?:\|*(?::\w{1,40}:|[^\x00-\x7f]))+\|*")
_ANY_NAME: Final = re.compile(r":\w{1,40}:")
#: Vowel signs and other marks of the scripts from Hebrew to Khmer, which are parts of words and no
#: letters; and vowels that are decomposed into a mark and a letter.
_VOWEL_SIGNS: Final = re.compile(
    "[\u0e33\u0eb3"
    + "".join(
        sign for sign in map(chr, range(0x590, 0x1800)) if unicodedata.category(sign)[0] == "M"
    )
    + "]"
)
#: Smileys behind words or cells side by side, and a line of them; faces may also be cells.
_FACE: Final = "[\U0001f600-\U0001f64f\U0001f910-\U0001f92f\U0001f970-\U0001f97a]"
_SIGNS_OF_FACE: Final = r"(?::-?[()DPp]|;-?\))"
_SMILEYS: Final = re.compile(
    rf"(?<=\S)[ \t]+{_SIGNS_OF_FACE}(?=[ \t]*$)|(?<=\S\S)[ \t]+{_FACE}+(?=[ \t]*$)", re.MULTILINE
)
_ONLY_SMILEYS: Final = re.compile(rf"\s*(?:{_SIGNS_OF_FACE}|{_FACE}{{1,3}})\s*")


def decode_text(data: bytes | str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file, in UTF-8 or what its byte order mark says, and notes.

    UTF-16 without a mark is recognised by zeros among its bytes, and by its text. Other bytes are
    Shift-JIS or GBK if just one of them makes common signs and symbols of boards of them, or else
    Windows-1252 if that makes letters and punctuation: signs that may be drawn as cells differ
    between such encodings.

    Raises:
        BoardError: the bytes are no text.
    """
    if isinstance(data, str):
        return data.removeprefix("\ufeff"), ()
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    encoding = encoding or _guess_utf16(data)
    try:
        return data.decode(encoding or "utf-8").removeprefix("\ufeff"), ()
    except UnicodeDecodeError as error:
        names = () if encoding else _EAST_ASIAN
        decoded = [(_decode_east_asian(data, name), name) for name in names]
        texts = [(text, name) for text, name in decoded if text is not None]
        if len(texts) == 1:
            text, name = texts[0]
            return text, (f"The bytes were read as {name}. Save the text as UTF-8 to be certain.",)
        if not encoding and (western := _decode_western(data)) is not None:
            return western, ()
        raise BoardError(
            "invalid-utf-8",
            f"Byte {error.start} is not {(encoding or 'utf-8').upper()} text.",
            "Send the board as UTF-8 text, or name the format of a binary file, such as mbf.",
        ) from None


def _guess_utf16(data: bytes) -> str | None:
    """Return the encoding of a text in UTF-16 without a byte order mark, None for other bytes."""
    best = (0, "")
    for name in ("utf-16-le", "utf-16-be") if b"\0" in data else ():
        with suppress(UnicodeDecodeError):
            text = _INVISIBLE.sub("", data.decode(name))
            if all(sign.isprintable() or sign.isspace() or sign == "\x1b" for sign in text):
                best = max(best, (sum(map(str.isascii, text)), name))
    return best[1] or None


def _decode_east_asian(data: bytes, name: str) -> str | None:
    """Return the text that bytes are in Shift-JIS or GBK, None if they are hardly text in that.

    Other signs than common ones are rather bytes of another encoding.
    """
    codec, common = _EAST_ASIAN[name]
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    signs = [sign.encode(codec) for sign in text if not sign.isascii()]
    known = all(len(sign) == 2 and sign[0] in common for sign in signs)
    return text if known and _SYMBOLS & set(text) else None


def _decode_western(data: bytes) -> str | None:
    """Return the text that bytes are in Windows-1252, None if they are hardly text in that."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    others = [character for character in text if not character.isascii()]
    plain = all(sign.isalpha() or sign in _WESTERN_SIGNS for sign in others)
    # Two bytes are rather of a damaged file than letters.
    plain = plain and not set("ÿþ") & set(others)
    return text if plain and len(others) * 3 < len(text) + 6 else None


def simplify_characters(text: str) -> tuple[str, bool, tuple[str, ...]]:
    """Return a text with one plain character for each cell that was written with a fancy one.

    Returns:
        The text; True if it had spoilers; notes about what was replaced.

    Raises:
        BoardError: an emoji among others has a name that stands for no cell.
    """
    plain = replace_names(text)
    _check_names(plain)
    plain = _KEYCAP.sub("", plain)
    plain = _INVISIBLE.sub("", plain).translate(_ALIKE)
    plain = plain.replace("\r\n", "\n").replace("\r", "\n")
    plain = plain.translate({ord(sign): _simplify_character(sign) for sign in set(plain)})
    notes: tuple[str, ...] = ()
    bare, spoilers = _open_spoilers(plain)
    if spoilers:
        notes = ("Spoilers were opened; squares in them were read as opened cells.",)
    return bare, spoilers, notes


def _check_names(text: str) -> None:
    """Check that no emoji has a name that stands for no cell, in lines of at least two emoji.

    Raises:
        BoardError: one has.
    """
    if _ANY_NAME.search(text) is None:
        return
    for line in text.split("\n"):
        name, cells = _ANY_NAME.search(line), line.strip()
        if name and cells != name[0] and _NAMED_CELLS.fullmatch(re.sub("[0-9?]", "□", cells)):
            raise BoardError(
                "unknown-symbol",
                f"The emoji {name[0]} stands for no cell.",
                "Write a clue as :zero: to :eight:, and other cells as :question:, :bomb: or "
                ":triangular_flag_on_post:.",
            )


def replace_names(text: str) -> str:
    """Return a text with emoji instead of their names."""
    return _NAME.sub(lambda name: _NAMED.get(name[1], name[0]), text)


def unescape(content: str) -> str:
    """Return the contents of a string literal with the characters that its escapes stand for."""
    return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), content)


def decode_entities(text: str) -> str:
    """Return a text with the characters that entities of HTML stand for."""
    return html.unescape(_TOO_LONG.sub("\N{REPLACEMENT CHARACTER}", text))


def _simplify_character(character: str) -> str:
    if character.isascii() or character == "\n":
        return character
    if 0xFF01 <= ord(character) <= 0xFF5E:
        return chr(ord(character) - 0xFEE0)
    if 0x1F1E6 <= ord(character) <= 0x1F1FF:
        return chr(ord(character) - 0x1F1E6 + ord("A"))
    if character.isspace():
        return " "
    digit = unicodedata.digit(character, None)
    return character if digit is None else str(digit)


def _open_spoilers(text: str) -> tuple[str, bool]:
    """Return a text without the double bars around spoilers, and whether there were any.

    Double bars are spoilers if they come in pairs in every line that has some, or around the whole
    text; else a field between two bars is empty. A spoiler without contents is none.
    """
    if "||" not in text:
        return text, False
    text = _fill_spoilers(text)
    whole = text.strip()
    around = whole.startswith("||") and whole.endswith("||") and whole.count("||") == 2
    lines = [line for line in text.split("\n") if "||" in line]
    if not around and any(line.count("||") % 2 or not _SPOILER.search(line) for line in lines):
        return text, False
    inside = _SPOILER.findall(text)
    if not around and any(not spoiler.strip() or "|" in spoiler for spoiler in inside):
        return text, False
    return _SPOILER.sub(lambda spoiler: spoiler[1].strip(), text), True


def _fill_spoilers(text: str) -> str:
    """Return a text with a square in each blank spoiler, if its lines are nothing but spoilers."""
    rows = [line.strip().split("||") for line in text.split("\n") if "||" in line]
    if any("".join(row[::2]) or not all(row[1::2]) or len(row) % 2 == 0 for row in rows):
        return text
    return _BLANK_SPOILER.sub("||□||", text)


def strip_smileys(text: str) -> str:
    """Return a text without smileys behind its lines, and without first and last lines of them."""
    lines = _SMILEYS.sub("", text).split("\n")
    filled = [at for at, line in enumerate(lines) if line.strip()]
    for end, step in ((0, 1), (-1, -1)):
        while filled and _ONLY_SMILEYS.fullmatch(lines[filled[end]]):
            beside = lines[filled[end + step]].strip() if len(filled) > 1 else ""
            if len(beside) == len(lines[filled[end]].strip()):
                # They may be cells.
                break
            lines[filled.pop(end)] = ""
    return "\n".join(lines)


def strip_marks(text: str) -> str:
    """Return a text without the marks of scripts in which these are parts of words."""
    if text.isascii() or not _VOWEL_SIGNS.search(text):
        return text
    return _VOWEL_SIGNS.sub("", unicodedata.normalize("NFKC", text))
