"""The words of texts, in all languages that the reader knows: one more is added here.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from typing import Final, NamedTuple

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN

#: Three letters, which cannot be cells: in any script, and in that of programs.
LONG_WORD: Final = re.compile(r"[^\W\d_]{3}")
LATIN_WORD: Final = re.compile("[A-Za-z]{3}")


def split_words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


#: Meanings by their words, also in German, French, Spanish, Italian, Portuguese, Polish, Dutch and
#: Russian.
MEANINGS: Final = {
    word: code
    for code, words in {
        UNKNOWN: """unknown hidden covered closed unopened unrevealed undiscovered unclicked
            unprobed uncleared concealed unexplored verdeckt verdeckte verdecktes verdeckten
            unbekannt unbekannte geschlossen geschlossene zugedeckt ungeöffnet inconnu
            inconnue inconnues couvert couverte couvertes cachée cachées caché cachés
            fermée fermées masquée masquées desconocido desconocida desconocidas
            cubierta cubiertas oculta ocultas oculto ocultos tapada tapadas cerrada
            cerradas sconosciuto sconosciuta coperta coperte coperto nascosta nascoste
            chiusa chiuse desconhecido desconhecida coberta cobertas fechada fechadas
            fechado escondida escondidas zakryte zakryta zakryty nieznane onbekend
            gesloten verborgen dold dolda kapal\u0131 неизвестно неизвестная закрыта
            закрытая закрытую закрытые закрыто неоткрытая неоткрытые скрыта скрытая""",
        MINE: """mined mine mines bomb bombs exploded explosion bombe bomben minen mina minas minę
            miny bomba bombas mijn mijnen мина мину мины бомба бомбы""",
        0: """empty blank zero zeros zeroes clear cleared clicked open opened explored revealed
            uncovered leer leere leeres offen offene aufgedeckt aufgedeckte vide vides ouvert
            ouverte ouvertes abierta abierto abiertas vacía vacías vuota vuote aperta aperte vazia
            vazias aberta abertas puste pusta leeg пусто пустая пустые открыто открытая
            открыты открытые""",
        FLAG: """flag flagged flags flagge flaggen fahne fahnen drapeau drapeaux bandera banderas
            bandiera bandiere bandierina bandierine bandeira bandeiras flaga flagi flagę
            vlag vlaggen flagga flaggor bayrak флаг флаги флажок флажки""",
        SAFE: "safe free sicher seguro segura безопасно безопасная",
    }.items()
    for word in words.split()
}
#: The same in languages without blanks between words.
EAST_ASIAN_MEANINGS: Final = {
    **dict.fromkeys(("未打开", "未翻开", "未开", "未開", "未知", "닫힌"), UNKNOWN),
    **dict.fromkeys(("雷", "爆弾", "지뢰"), MINE),
    **dict.fromkeys(("旗", "标记", "깃발"), FLAG),
    **dict.fromkeys(("開い", "打开", "空白", "空きマス"), 0),
}
#: Signs by their names, also in German, French, Spanish and Russian.
SIGNS: Final = {
    name: signs
    for signs, names in {
        "-": "dash dashes hyphen hyphens minus strich striche guion guiones tiret tirets тире",
        "#": "hash hashes hashtag hashtags raute rauten решётка решётки решетки",
        "*": "star stars asterisk asterisks stern sterne sternchen asteriscos звездочки",
        ".": "dot dots period periods punkt punkte puntos",
        "_": "underscore underscores",
        "?": "fragezeichen",
        "0": "zero zeros zeroes nullen",
        " ": "blank blanks empty leer leere vide vides vacío vacía vacías пустые 空白",
        "⬜□▢": "white weiß weiße",
        "⬛■▣": "black schwarz schwarze",
        "🟩": "green grün grüne",
        "🟦": "blue",
        "🟥": "red",
        "🟨": "yellow",
    }.items()
    for name in names.split()
}
#: The English names of 1 to 10.
NUMBER_WORDS: Final = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
)
#: The names of the clues 0 to 8.
CLUE_NAMES: Final = ("zero", *NUMBER_WORDS[:8])


class Numbers(NamedTuple):
    """The words of a language for mines, for numbers from 2 on, and for the tens from 20 on."""

    mines: str
    ones: str
    tens: str


NUMBERS: Final = (
    Numbers(
        "mines bombs",
        f"{' '.join(NUMBER_WORDS[1:])} eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen",
        "twenty thirty forty fifty sixty seventy eighty ninety",
    ),
    Numbers(
        "minen bomben",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
        " sechzehn siebzehn achtzehn neunzehn",
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    ),
    Numbers(
        "mines bombes",
        "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
        "vingt trente quarante cinquante soixante",
    ),
    Numbers(
        "minas bombas",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
        "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    ),
    Numbers(
        "minas bombas",
        "dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze",
        "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    ),
    Numbers(
        "mine bombe",
        "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici",
        "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    ),
)
#: One mine, which may also be the name of a symbol, and several.
ONE_MINE: Final = split_words("mine bomb mina bomba мина міна")
MINES: Final = ONE_MINE | split_words(
    """mines bombs minen bomben minas bombas bombes miny bomby mijnen bommen minor minami
    miner miinoja miinat akna aknák ranjau may\u0131n mìn мины мин міни мін бомбы бомб νάρκες ναρκών
    ναρκες ναρκων מוקשים המוקשים ألغام الألغام 雷 弾 뢰 탄 bom mabomu nakiyoyi
    खदान खदानें खदानों सुरंग सुरंगें सुरंगों माइन माइन्स माइंस बम सुरुंग भूसुरुंग बॉम्ब
    মাইন মাইনের বোমা বোমার سرنگ سرنگیں سرنگوں مائن مائنز بم مین مینها بمب بمبها لغم قنابل القنابل
    మైన్ మైన్లు మైన్ల బాంబులు బాంబుల மைன் கண்ணிவெடி கண்ணிவெடிகள் கண்ணிவெடிகளின் குண்டுகள்
    સુરંગ સુરંગો માઇન બોમ્બ ਸੁਰੰਗਾਂ ਮਾਈਨ ਬੰਬ ಮೈನ್ ಮೈನ್ಗಳು ಬಾಂಬ್
    ทุ่นระเบิด กับระเบิด ระเบิด"""
)
#: Words for flags, of which a game has as many as mines.
FLAGS: Final = split_words("flag flags flagged flaggen drapeaux banderas")
#: Words next to a number of mines that make it no other; East Asian ones are taken sign by sign.
BESIDE_TOTALS: Final = split_words(
    """define setq def how many what wie viele enter please type input give do you want
    ha há haben enthält contient contiene contém tiene amount qty quantity das
    de o um os as digite insira informe qual quantas ingrese introduce introduzca indique
    cuantas cuántas quieres entrez saisissez donnez combien gib gebe bitte ein eingeben
    введите сколько girin podaj wprowadź ile liczbę 请 輸 输 入 的 el die
    total totals overall altogether num number numbers nr nb no n count of
    the a all exactly is are there has have with contains and in on it its s re so only just
    this but well btw anzahl zahl auf dem im sind
    gesamtzahl gesamt insgesamt der es gibt mit hat nombre de des la le au en tout
    il y avec número numero cantidad hay con un totale totali totales di liczba aantal antal
    antall liczba počet say\u0131s\u0131 say\u0131s\u0131n\u0131 toplam var er zijn det finns
    száma jumlah số αριθμός מספר عدد com z plansza tabuleiro ci sono кількість
    всего количество число на общее 总 總 共 有 计 計 地 爆 一 为 為 全 部
    の は が で す あ り ま 数 數 量 个 個 颗 顆 是 총 지 폭 개 수 있 음 는 은 몇 인 가 요
    tổng lượng quả banyaknya idadi ya ni
    adadin mga bilang ng kabuuang الكل إجمالي
    कुल संख्या की के का में है हैं बारूदी एकूण মোট সংখ্যা টি আছে کل تعداد کی بارودی ہیں
    మొత్తం సంఖ్య மொத்த மொத்தம் எண்ணிக்கை કુલ સંખ્યા ਕੁੱਲ ਗਿਣਤੀ ಒಟ್ಟು ಸಂಖ್ಯೆ
    จำนวน มี ลูก ทั้งหมด"""
)
#: The same in Thai, which has no blanks between words: number, there are, in all.
THAI_BESIDE_TOTALS: Final = ("จำนวน", "มี", "ทั้งหมด")
#: Words next to a number of mines in the title of a board.
IN_TITLES: Final = split_words(
    """board grid field map game puzzle minesweeper position griglia planszy polu brett
    beginner intermediate expert feld spielfeld
    grille tablero campo minato veld bord поле"""
)
#: Words next to two numbers, of mines that are found or left, and of all.
BESIDE_SHARES: Final = split_words(
    """found left remaining flagged marked gefunden übrig verbleibend verbleibende noch
    restantes restants encontradas осталось 剩 余 餘 残 り 남 은"""
)
#: Words before a colon, of what has some of the mines.
OWNERS: Final = split_words("player team spieler joueur jugador giocatore")
#: Names of rows and of columns.
ROW_NAMES: Final = split_words(
    "row line r zeile reihe ligne fila linha riga rij rad wiersz строка ряд 行 줄 행"
)
COLUMN_NAMES: Final = split_words("column col c x spalte colonne columna coluna kolumna")
