"""The arena's page: what is on it, and that a browser shows it at any width, with nothing from elsewhere."""

from __future__ import annotations

import html
import os
import re
import shlex
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise, product
from pathlib import Path

import msgspec
import pytest
import results
from commands import run
from sfumato import report
from sfumato.elo import Estimate
from sfumato.markup import Html, el, join
from sfumato.plan import Entrant
from sfumato.plots import Scale, axis, counts, edges, histogram, interval
from sfumato.standings import Standings, standings

#: the same ones, but for names that a page must not take for markup
NASTY = ("<script>alert(1)</script>", 'a "quoted" & <b>bold</b> name', "c" * 90, "plain")
SETTINGS = msgspec.structs.replace(
    results.settings("greedy", "random", "flat:sims=20", "greedy:noise=0.5", move_ms=200, blocks=4),
    agents=tuple(map(Entrant, NASTY, ("greedy", "random", "flat:sims=20", "greedy:noise=0.5"))),
)
COMMAND = "sfumato tournament leduc_poker 'an <agent>' --seed 7"
REASON = "<i>'raise'</i> & more is not legal here"


def games() -> list[results.Record]:
    records = results.played(SETTINGS)
    records[1] = results.spoilt(records[1], 0, "illegal", REASON)
    records[9] = results.spoilt(records[9], None, "endless", "more than 10,000 moves")
    return records


RECORDS = games()
STANDINGS = standings(SETTINGS, RECORDS)


def page(found: Standings = STANDINGS, records: list[results.Record] = RECORDS) -> str:
    return report.page(results.heading(SETTINGS), found, records, COMMAND)


PAGE = page()


class Outline(HTMLParser):
    """Elements that are opened and closed in order, and the text of headings and cells."""

    void = {"br", "meta", "wbr"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data


OUTLINE = Outline(PAGE)


# --- the content ----------------------------------------------------------------------------------------


def test_the_page_has_all_its_sections() -> None:
    assert OUTLINE.texts["h2"] == ["Ratings", "Cross table", "Likelihood of superiority", "Seat effect",
                                   "Lengths and scores", "Speed", "Faults", "Settings"]
    links = [attrs["href"] for tag, attrs in OUTLINE.seen if tag == "a"]
    ids = [f"#{attrs['id']}" for _, attrs in OUTLINE.seen if "id" in attrs]
    assert links == ids


def test_every_agent_has_its_figures() -> None:
    rows = OUTLINE.texts["tr"]
    for place, row in enumerate(STANDINGS.rows, 1):
        assert row.score is not None
        assert row.mean_rank is None, "of two seats and of three"
        wanted = rf"{place}{re.escape(row.name)}.*{row.score.value:.1%}{row.win_share:.1%}––{row.games}"
        assert any(re.match(wanted, each) for each in rows)


def test_the_cross_table_has_a_cell_for_every_pair_that_met() -> None:
    for one, other in product(range(4), repeat=2):
        met = STANDINGS.cross[one][other]
        assert (met is None) == (one == other)
        if met is not None:
            assert f">{met.score.value:.1%}<small>{met.games} games</small>" in PAGE


def test_faults_are_told_with_their_reasons() -> None:
    assert html.escape(REASON) in PAGE
    rows = [row for row in OUTLINE.texts["tr"] if "illegal" in row or "endless" in row]
    assert rows == [
        f"1leduc_poker, 2 players{NASTY[1]} (seat 0)illegal{REASON}",
        "9leduc_poker, 2 playersnobodyendlessmore than 10,000 moves",
    ]


def test_a_tournament_without_faults_says_so() -> None:
    records = results.played(SETTINGS)
    assert "every game was played to its end" in page(STANDINGS, records)


def test_settings_seed_and_command_are_on_the_page() -> None:
    assert html.escape(COMMAND) in PAGE
    settings = OUTLINE.texts["dl"][-1]
    for part in ("round-robin", "200 ms per move", "sfumato 0.1.0, signature 1", "seed7: ",
                 "oh_hell, 3 players; tricks=2; cards ", "flat:sims=20"):
        assert part in settings


def test_games_that_a_fault_ended_have_no_length_and_no_score() -> None:
    """They would show as short games with 0 points."""
    described = re.findall(r"<title>moves in games of leduc_poker, 2 players</title><desc>(\d+) from", PAGE)
    assert described == [str(sum(each.game == 0 for each in RECORDS) - 2)]


def test_simulations_per_second_are_those_of_the_records() -> None:
    searches = next(row for row in OUTLINE.texts["tr"] if NASTY[2] in row and "1,000" in row)
    assert searches.count("1,000") >= 2, "100 simulations in a tenth of a second, in both games"


def test_cycles_and_groups_that_never_met_are_flagged() -> None:
    assert "No cycles" in PAGE
    found = msgspec.structs.replace(STANDINGS, cycles=[[0, 2, 3]], groups=[[0, 2, 3], [1]])
    told = [text for text in Outline(page(found)).texts["p"] if text.startswith("No")]
    ring = " beats ".join((NASTY[0], NASTY[2], NASTY[3], NASTY[0]))
    groups = f"{NASTY[0]}, {NASTY[2]}, {NASTY[3]}; {NASTY[1]}"
    assert told == [f"Not transitive: {ring}. One number per agent cannot show this.",
                    f"Not comparable: these never met, not even through others: {groups}."]


def test_ratings_without_a_bound_have_an_arrow_and_say_so() -> None:
    rows = [msgspec.structs.replace(row, rating=Estimate(120.0, 40.0, None)) for row in STANDINGS.rows]
    told = page(msgspec.structs.replace(STANDINGS, rows=rows))
    assert "at least +40" in told
    assert 'd="M-6 -5L0 0L-6 5"' in told
    assert 'd="M-6 -5L0 0L-6 5"' not in PAGE


def headline(ahead: Estimate | None, sure: float | None, score: float = 0.6) -> str:
    """Of the page on which the first is so far ahead of the second, and did so well against it at least."""
    one, other = (row.agent for row in STANDINGS.rows[:2])
    table, shares, cross = ([list(row) for row in rows] for rows in (
        STANDINGS.ahead, STANDINGS.superiority, STANDINGS.cross))
    table[one][other], shares[one][other] = ahead, sure
    met = cross[one][other]
    assert met is not None
    cross[one][other] = msgspec.structs.replace(met, score=Estimate(0.7, score, 0.9))
    found = msgspec.structs.replace(STANDINGS, ahead=table, superiority=shares, cross=cross)
    return Outline(page(found)).texts["p"][1]


def test_the_answer_comes_first() -> None:
    first, second = (row.name for row in STANDINGS.rows[:2])
    assert headline(Estimate(52.4, 10.0, 90.0), 0.993) == (
        f"{first} is rated highest, above {second} by 52 (+10 to +90) Elo. That it is the stronger of the "
        "two has a likelihood of 99.3%.")
    assert headline(Estimate(None, 177.0, None), 0.99999) == (
        f"{first} is rated highest, above {second} by at least +177 Elo. That it is the stronger of the "
        "two has a likelihood of 99.9%.")
    assert headline(None, None) == f"{first} is rated highest."


@pytest.mark.parametrize(("ahead", "sure", "score"), [
    (Estimate(0.0, -40.0, 40.0), 0.5, 0.4), (Estimate(80.0, 0.0, 160.0), 0.975, 0.6),
    (Estimate(220.0, None, None), None, 0.6), (Estimate(None, 177.0, None), 0.999, 0.28),
], ids=["tied", "up to 0", "few deals", "the pair's own games do not say so"])
def test_the_answer_claims_no_more_than_the_intervals(ahead: Estimate, sure: float | None,
                                                      score: float) -> None:
    first, second = (row.name for row in STANDINGS.rows[:2])
    assert headline(ahead, sure, score) == (
        f"{first} and {second} are rated highest; these games cannot tell them apart.")


def test_who_won_everything_has_a_bound_and_no_value() -> None:
    rows = [msgspec.structs.replace(row, rating=Estimate(None, 40.0, None)) for row in STANDINGS.rows]
    told = Outline(page(msgspec.structs.replace(STANDINGS, rows=rows)))
    assert any(each.startswith("– at least +40") for each in told.texts["span"])


def test_points_are_told_game_by_game_where_there_are_several() -> None:
    points = next(each for each in OUTLINE.texts["table"] if each.startswith("points ahead in"))
    own = [record for record in RECORDS if record.game == 0 and 3 in record.agents and record.fault is None]
    seats = [(record.scores, record.agents.index(3)) for record in own]
    margin = sum(scores[seat] - scores[1 - seat] for scores, seat in seats) / len(seats)
    assert f"plain{margin:+.2f}".replace("-", "−") in points
    assert "Every deal weighs alike in the score, and every game played in the rating." in OUTLINE.texts["p"]


def test_scores_are_told_game_by_game_where_there_are_several() -> None:
    row = next(each for each in OUTLINE.texts["table"] if each.startswith("score in"))
    assert row.startswith("score inleduc_poker, 2 playersoh_hell, 3 players")
    own = [record for record in RECORDS if record.game == 0 and 3 in record.agents]
    wins = [record.ranks[record.agents.index(3)] * 2 - sum(record.ranks) for record in own]
    score = sum(0.5 - 0.5 * each for each in wins) / len(wins)
    assert f"plain{score:.1%}" in row


def test_a_tournament_that_has_not_begun_has_a_page() -> None:
    told = Outline(page(standings(SETTINGS, []), []))
    assert "No game was played." in told.texts["header"][0]
    assert "Lengths and scores" not in told.texts["h2"]


def test_a_block_that_is_not_whole_is_left_out_and_that_is_said() -> None:
    records = RECORDS[:-1]
    told = page(standings(SETTINGS, records), records)
    assert "of blocks that are not whole yet" in told
    assert "of blocks that are not whole yet" not in PAGE


def test_a_tournament_writes_its_page_with_the_command_that_plays_it_again(tmp_path: Path) -> None:
    again = ("tournament", "leduc_poker", "--agents", "random", "greedy", "--blocks", "2", "--seed", "5")
    file = tmp_path / "report.html"
    assert run(*again, "--workers", "0", "--html", str(file)).exit_code == 0
    told = Outline(file.read_text("utf-8"))
    assert told.texts["h1"] == ["random against greedy: leduc_poker"]
    written = shlex.split(told.texts["pre"][0])
    assert written[0] == "sfumato"
    other = tmp_path / "other.html"
    assert run(*written[1:], "--workers", "0", "--html", str(other)).exit_code == 0
    rows = [re.sub(r"[\d.]+ s\b", "", row) for row in told.texts["tr"]]
    assert [re.sub(r"[\d.]+ s\b", "", row) for row in Outline(other.read_text("utf-8")).texts["tr"]] == rows


def test_the_same_input_gives_the_same_bytes() -> None:
    assert page() == PAGE


# --- what a page must not do ----------------------------------------------------------------------------


def test_names_are_text_everywhere() -> None:
    assert "<script" not in PAGE
    assert "<b>" not in PAGE
    assert "<i>" not in PAGE
    shown = {text for tag in ("th", "span", "strong") for text in OUTLINE.texts[tag]}
    assert set(NASTY) <= shown


def test_nothing_comes_from_elsewhere() -> None:
    assert not re.search(r"https?:|url\(|@import|<link|<script|<img|\bsrc=|\son\w+=", PAGE)
    assert all(attrs["href"].startswith("#") for _, attrs in OUTLINE.seen if attrs.get("href"))


def test_markup_escapes_text_and_attributes() -> None:
    assert el("p", "<&>", title='"<') == '<p title="&quot;&lt;">&lt;&amp;&gt;</p>'
    assert el("p", el("br"), class_="a", aria_label=None) == '<p class="a"><br></p>'
    assert join(["<", Html("<br>")], " & ") == "&lt; &amp; <br>"


def test_drawings_and_tables_can_be_read_aloud() -> None:
    drawings = [attrs for tag, attrs in OUTLINE.seen if tag == "svg" and "role" in attrs]
    assert len(drawings) == PAGE.count("<desc>") > 20
    assert all(attrs["role"] == "img" for attrs in drawings)
    assert all("scope" in attrs for tag, attrs in OUTLINE.seen if tag == "th")
    tables = [attrs for tag, attrs in OUTLINE.seen if tag == "table"]
    assert all(attrs["aria-label"] for attrs in tables)


def luminance(color: str) -> float:
    parts = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_letters_stand_out_in_light_and_dark() -> None:
    """The contrast of 4.5 that the web's guidelines on accessibility ask for."""
    roots = re.findall(r":root \{(.*?)\}", PAGE, re.DOTALL)
    themes = [dict(re.findall(r"--(\w+): (#\w{6})", root)) for root in roots]
    assert len(themes) == 2
    for theme, letters, ground in product(themes, ("ink", "soft", "accent", "warm"), ("paper", "raised")):
        low, high = sorted(luminance(theme[name]) for name in (letters, ground))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (letters, ground, theme)


# --- the plots ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("values", "ticks"), [
    ([0, 315], (0, 100, 200, 300, 400)),
    ([-3, 0.5], (-3, -2, -1, 0, 1)),
    ([7, 7], (6, 6.5, 7, 7.5, 8)),
    ([-1200, 900], (-2000, -1000, 0, 1000)),
])
def test_a_scale_has_round_marks_around_all_values(values: list[float], ticks: tuple[float, ...]) -> None:
    assert Scale.over(values).ticks == pytest.approx(ticks)


def test_a_number_lies_between_the_marks_around_it() -> None:
    scale = Scale((0, 100, 200))
    assert [scale.at(value) for value in (0, 50, 200)] == ["0.00%", "25.00%", "100.00%"]
    drawn = interval(scale, "a", "b", 50, 20, 120)
    assert 'x1="10.00%" x2="60.00%"' in drawn
    assert 'cx="25.00%"' in drawn
    below = axis(Scale((-10, 0, 10)), "a", signed=True)
    assert re.findall(r">([−+\d]+)</text>", below) == ["−10", "0", "+10"]


def test_bars_of_whole_numbers_have_as_many_numbers_each() -> None:
    assert edges([2, 4]) == [1.5, 2.5, 3.5, 4.5]
    wide = edges([0, 99])
    assert {round(high - low, 9) for low, high in pairwise(wide)} == {5}
    assert counts([2, 2, 4], edges([2, 4])) == [2, 0, 1]


def test_bars_of_other_numbers_hold_every_value_once() -> None:
    values = [0.0, 0.25, 0.5, 1.0]
    assert sum(counts(values, edges(values))) == len(values)
    assert counts(values, edges(values))[-1] == 1, "the greatest too"


def test_a_histogram_is_tallest_where_values_are_most() -> None:
    drawn = histogram([1, 1, 1, 1, 2], edges([1, 2]), "a", 44)
    assert re.findall(r'height="([\d.]+)"', drawn)[1:] == ["40.0", "10.0"]
    assert re.findall(r"<title>(\d: \d)</title>", drawn) == ["1: 4", "2: 1"]


# --- in a browser ---------------------------------------------------------------------------------------

#: As a process of its own, without a screen, and with no reason to go to the network.
BROWSER = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--allow-file-access-from-files", "--enable-logging=stderr", "--virtual-time-budget=5000",
           "--window-size=1280,900")
WIDTHS = (320, 390, 1280)
#: Opens the page in frames of these widths, and writes down how wide each has become and what it shows.
FRAMES = """<!doctype html><title>measuring</title><pre></pre><script>
addEventListener("load", () => {
  const found = Array.from(frames, frame => {
    const page = frame.document.documentElement
    const rows = frame.document.querySelectorAll("tbody tr").length
    const drawings = [...frame.document.querySelectorAll("svg[role]")]
    const drawn = drawings.filter(each => each.clientHeight > 10).length
    const fetched = frame.performance.getEntriesByType("resource").length
    return [page.clientWidth, page.scrollWidth, rows, drawn, fetched].join(" ")
  })
  document.querySelector("pre").textContent = found.join("\\n")
  console.info("measured")
})
</script>
"""


def lacking(what: str) -> None:
    """Where every change is judged nothing may be missing."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


@pytest.fixture(scope="module")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """What a browser makes of the page at several widths: the measures, and what its console says."""
    program = shutil.which("chromium")
    if program is None:
        lacking("chromium is not installed")
    folder = tmp_path_factory.mktemp("browser")
    (folder / "page.html").write_text(PAGE, "utf-8")
    inside = "".join(f'<iframe src="page.html" width="{width}" height="600" style="border:0"></iframe>'
                     for width in WIDTHS)
    (folder / "frames.html").write_text(FRAMES + inside, "utf-8")
    command = [str(program), *BROWSER, f"--user-data-dir={folder / 'profile'}", "--dump-dom",
               (folder / "frames.html").as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def test_a_browser_shows_every_row_and_drawing_and_scrolls_nothing_sideways(
    browsed: subprocess.CompletedProcess[str],
) -> None:
    found = re.search(r"<pre>(.*?)</pre>", browsed.stdout, re.DOTALL)
    assert found
    rows = PAGE.count("<tr>") - PAGE.count("<thead>")
    for line, width in zip(found[1].splitlines(), WIDTHS, strict=True):
        seen, needed, shown, drawn, fetched = map(int, line.split())
        assert width - 20 <= seen <= width
        assert needed <= seen, f"the page is wider than {width} pixels"
        assert shown == rows
        assert drawn == PAGE.count("<desc>")
        assert fetched == 0, "nothing was asked for but the page"


def test_the_browsers_console_has_nothing_to_say_about_the_page(
    browsed: subprocess.CompletedProcess[str],
) -> None:
    said = re.findall(r'CONSOLE.*?\] "(.*?)"', browsed.stderr)
    assert said == ["measured"]
