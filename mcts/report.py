"""A tournament as one HTML page that needs nothing but itself: no script, no font, no picture from elsewhere.

It shows what `standings` found, and what only records tell: lengths, scores, speeds, faults. The same input
gives the same bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from .figures import NOTHING, between, counted, lasting, likely, minus, percent, plain, signed
from .games.option import spoken
from .markup import Html, el, join
from .plots import Scale, axis, edges, histogram, interval
from .scoreboard import notes
from .standings import clearly_won, standings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .elo import Estimate
    from .plan import Table
    from .records import Heading, Record
    from .standings import Standings

#: faults that are listed one by one
MOST_FAULTS = 100
#: pixels of a histogram in a row of several
STRIP = 30
#: games that a title names one by one
MOST_NAMED = 3


def page(heading: Heading, found: Standings, records: Sequence[Record], command: str) -> str:
    """The page of these games; `command` plays them again."""
    view = View(heading, found, records, command)
    shown = [(name, title, body) for name, title, write in SECTIONS if (body := write(view))]
    links = [el("li", el("a", title, href=f"#{name}")) for name, title, _ in shown]
    head = el("head", el("meta", charset="utf-8"), el("title", f"{view.title} – Sfumato"),
              el("meta", name="viewport", content="width=device-width, initial-scale=1"),
              el("meta", name="generator", content=f"sfumato {heading.sfumato}"), el("style", style()))
    body = el("body",
              el("header", el("p", "Sfumato arena", class_="eyebrow"), el("h1", view.title), *lead(view),
                 el("nav", el("ul", *links), aria_label="Sections")),
              el("main", *(el("section", el("h2", title, id=name), part) for name, title, part in shown)),
              el("footer", f"Written by sfumato {heading.sfumato}, signature {heading.signature}."))
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def style() -> Html:
    return Html("\n" + Path(__file__).with_name("report.css").read_text("utf-8"))


@dataclass(frozen=True)
class View:
    """What the page is made from."""

    heading: Heading
    standings: Standings
    records: Sequence[Record]
    command: str

    @property
    def names(self) -> list[str]:
        return [agent.name for agent in self.heading.settings.agents]

    @property
    def title(self) -> str:
        settings = self.heading.settings
        who = " against ".join(self.names) if len(self.names) == 2 else f"{len(self.names)} agents"
        games = list(dict.fromkeys(table.name for table in settings.games))
        what = ", ".join(games) if len(games) <= MOST_NAMED else counted(len(games), "game")
        return f"{who}: {what}"

    @cached_property
    def games(self) -> list[str]:
        """The games as people call them: with their options only where these tell two apart."""
        tables = self.heading.settings.games
        names = [f"{table.name}, {table.players} players" for table in tables]
        return [name if names.count(name) == 1 else f"{name}, {options_of(table)}"
                for name, table in zip(names, tables, strict=True)]

    @property
    def ordered(self) -> list[int]:
        """The agents, best first."""
        return [row.agent for row in self.standings.rows]

    @cached_property
    def whole(self) -> list[Record]:
        """The games that no fault ended: those with scores."""
        return [record for record in self.records if record.fault is None]

    def scores(self, game: int, agent: int) -> list[float]:
        """What an agent scored in a game."""
        return [record.scores[seat] for record in self.whole if record.game == game
                for seat, who in enumerate(record.agents) if who == agent]


def options_of(table: Table) -> str:
    return ", ".join(f"{name}={spoken(value)}" for name, value in table.options.items())


def numbered(view: View, agent: int) -> Html:
    """An agent in a heading of a row: its place and its name."""
    return join((el("span", str(view.ordered.index(agent) + 1), class_="rank"), broken(view.names[agent])))


def broken(name: str) -> Html:
    """A name that may go on in the next line where a spec has its parts."""
    return join(re.split(r"(?<=[:,])", name), el("wbr"))


# --- pieces ---------------------------------------------------------------------------------------------


def table(label: str, columns: Sequence[str], rows: Iterable[Sequence[Html]], texts: int = 1) -> Html:
    """A table in a frame in which it scrolls; the first columns, so many, are texts."""
    heads = [el("th", column, scope="col", class_="text" if place < texts else None)
             for place, column in enumerate(columns)]
    lines = [el("tr", *row) for row in rows]
    return el("div", el("table", el("thead", el("tr", *heads)), el("tbody", *lines), aria_label=label),
              class_="scroll", tabindex=0, role="region", aria_label=label)


def th(*inside: str) -> Html:
    return el("th", *inside, scope="row")


def tds(*texts: str) -> list[Html]:
    return [el("td", text) for text in texts]


def long(text: str) -> Html:
    return el("td", text, class_="text long")


def note(*inside: str) -> Html:
    return el("p", *inside, class_="note")


def facts(*pairs: tuple[str, str]) -> Html:
    """Figures at a glance."""
    return el("dl", *(el("div", el("dt", word), el("dd", figure)) for word, figure in pairs), class_="facts")


def intervals(label: str, rows: Sequence[tuple[str, Estimate, str]]) -> Html:
    """Figures in Elo with their intervals, which are also said in words, on one scale; a row each."""
    known = [number for _, of, _ in rows for number in (of.value, of.low, of.high) if number is not None]
    scale = Scale.over([0, *known])
    lines = [
        el("div", el("span", broken(name), class_="name"),
           interval(scale, f"{name}: {signed(of.value)} Elo", bounds, at, of.low, of.high),
           el("span", el("strong", signed(of.value)), el("small", f" {bounds}"), class_="figure"),
           class_="row")
        for name, of, bounds in rows
        # without a value, the mark is at the only bound
        if (at := next((each for each in (of.value, of.low, of.high) if each is not None), None)) is not None
    ]
    below = el("div", el("span", class_="name"), axis(scale, "scale in Elo", signed=True),
               el("span", class_="figure"), class_="row axis")
    return el("div", *lines, below, class_="plot", role="group", aria_label=label)


def shaded(share: float, *inside: str) -> Html:
    """A cell of a matrix, the darker the larger its share."""
    return el("td", *inside, class_="cell", style=f"--of:{share:.2f}")


def matrix(view: View, label: str, cell: Callable[[int, int], Html | None]) -> Html:
    """A cell for every ordered pair of agents, which have their places as numbers above."""
    columns = ["agent", *(el("abbr", str(place), title=view.names[agent])
                          for place, agent in enumerate(view.ordered, 1))]
    empty = el("td", NOTHING, class_="self")
    rows = [[th(numbered(view, one)),
             *(empty if one == other else cell(one, other) or empty for other in view.ordered)]
            for one in view.ordered]
    return table(label, columns, rows)


# --- the sections ---------------------------------------------------------------------------------------


def lead(view: View) -> list[Html]:
    """The answer first: who is stronger, by how much, and how sure."""
    settings, records = view.heading.settings, view.records
    faults = sum(record.fault is not None for record in records)
    thought = sum(sum(record.thought) for record in records)
    parts = [el("p", *answer(view), class_="lead")] if records else [el("p", "No game was played.")]
    tiles = facts(
        ("agents", f"{len(settings.agents)}"), ("deals", f"{view.standings.deals:,}"),
        ("games played", f"{len(records):,} of {settings.total:,}"),
        ("faults", f"{faults:,}"), ("thinking time", lasting(thought)),
    )
    left_out = view.standings.left_out
    said = f"The tables leave out {counted(left_out, 'game')} of blocks that are not whole yet."
    return [*parts, tiles, *([note(said)] if left_out else [])]


def answer(view: View) -> list[str]:
    """No more than the interval of the difference says, and that of the games between the two."""
    first, second = view.ordered[:2]
    ahead, met = view.standings.ahead[first][second], view.standings.cross[first][second]
    best, other = (el("strong", broken(view.names[agent])) for agent in (first, second))
    if ahead is None:
        return [best, " is rated highest."]
    if ahead.low is None or ahead.low <= 0 or not (met is None or clearly_won(met)):
        return [best, " and ", other, " are rated highest; these games cannot tell them apart."]
    much = between(ahead) if ahead.value is None else f"{ahead.value:.0f} ({between(ahead)})"
    return [best, " is rated highest, above ", other, f" by {much} Elo. That it is the stronger of the two "
            f"has a likelihood of {likely(view.standings.superiority[first][second])}."]


def ratings(view: View) -> Html:
    """Ratings with error bars, and what else there is to say of each agent."""
    rows, anchor = view.standings.rows, view.standings.anchor
    bounds = {row.agent: "anchor" if row.agent == anchor else between(row.rating) for row in rows}
    plot = intervals("Ratings with 95% intervals",
                     [(row.name, row.rating, bounds[row.agent]) for row in rows])
    columns = ["agent", "rating", "95% interval", "score", "win share", "mean rank", "points ahead",
               "games", "faults"]
    body = [
        [th(numbered(view, row.agent)),
         *tds(signed(row.rating.value), bounds[row.agent],
              percent(row.score.value), percent(row.win_share), plain(row.mean_rank), signed(row.margin, 2),
              f"{row.games:,}", f"{row.faults:,}")]
        for row in rows
    ]
    said = note(f"Elo by maximum likelihood on finishing orders with a weak prior, {view.names[anchor]} = 0; "
                "intervals from how much deals differ. Who won or lost everything has a bound and no value. "
                "Score: the mean over the others' seats of 1, ½ or 0 by rank. Points ahead: of the mean of "
                "the others' seats, without games that a fault ended; only where there is one game, as mean "
                "rank only where all tables are of one size.")
    more = (note(f"{each}.") for each in notes(view.heading.settings, view.standings))
    return join((plot, table("Agents", columns, body), said, *more, *game_by_game(view)))


def game_by_game(view: View) -> list[Html]:
    """The scores and points in every game, where there are several."""
    if len(view.games) == 1:
        return []
    found = [standings(view.heading.settings, [record for record in view.records if record.game == game])
             for game in range(len(view.games))]
    scores = [{row.agent: row.score.value for row in each.rows} for each in found]
    rows = [[th(numbered(view, agent)), *(scored(each[agent]) for each in scores)] for agent in view.ordered]
    margins = [{row.agent: signed(row.margin, 2) for row in each.rows} for each in found]
    points = [[th(numbered(view, agent)), *tds(*(each[agent] for each in margins))] for agent in view.ordered]
    return [table("Scores by game", ["score in", *view.games], rows),
            table("Points ahead by game", ["points ahead in", *view.games], points)]


def scored(score: float | None) -> Html:
    return el("td", NOTHING, class_="self") if score is None else shaded(score, percent(score))


def meetings(view: View) -> Html:
    """Who did how well against whom."""
    def cell(one: int, other: int) -> Html | None:
        met = view.standings.cross[one][other]
        if met is None or met.score.value is None:
            return None
        return shaded(met.score.value, percent(met.score.value), el("small", counted(met.games, "game")))

    said = note("The score of the row against the column, with the games in which they met; 50% is even.")
    columns = ["agent", "against", "games", "won, tied, lost", "score", "Elo", "95% interval",
               "points ahead", "unpaired"]
    rows = [
        [th(broken(view.names[one])), el("td", broken(view.names[other]), class_="text"),
         *tds(f"{met.games:,}", f"{met.wins:,}, {met.ties:,}, {met.losses:,}", percent(met.score.value),
              signed(met.elo.value), between(met.elo), signed(met.margin, 2),
              NOTHING if met.saved.unpaired is None else f"{met.saved.unpaired:,.0f}")]
        for one, other in combinations(view.ordered, 2) if (met := view.standings.cross[one][other])
    ]
    more = note("Pair by pair. Won, tied and lost are games; where an agent has several seats, by its score "
                "in the game. Unpaired: how many games on deals of their own, at random seats, would tell as "
                "much as these blocks do, where there are enough deals to tell.")
    return join((said, matrix(view, "Cross table", cell), table("Meetings", columns, rows, texts=2), more))


def superiority(view: View) -> Html:
    """How sure it is that one is stronger than the other."""
    def cell(one: int, other: int) -> Html | None:
        share = view.standings.superiority[one][other]
        return None if share is None else shaded(share, likely(share))

    said = note("The likelihood that the row is stronger than the column: above 97.5% where the interval of "
                "the difference of their ratings lies above 0.")
    return join((said, matrix(view, "Likelihood of superiority", cell), *warnings(view)))


def warnings(view: View) -> list[Html]:
    """What one scale of ratings cannot say."""
    of = view.standings
    rings = [" beats ".join(view.names[agent] for agent in [*cycle, cycle[0]]) for cycle in of.cycles]
    found = [warning("Not transitive: ", f"{ring}. One number per agent cannot show this.") for ring in rings]
    if len(of.groups) > 1:
        groups = "; ".join(", ".join(view.names[agent] for agent in group) for group in of.groups)
        found.append(warning("Not comparable: ", f"these never met, not even through others: {groups}."))
    return found or [note("No cycles: nobody clearly beats somebody who, through others, beats them.")]


def warning(what: str, said: str) -> Html:
    return el("p", el("strong", what), said, class_="warn")


def seats(view: View) -> Html:
    """What a seat is worth, game by game."""
    plots = [
        join((el("h3", name), intervals(f"Seat effect in {name}", [
            (f"seat {each.seat}", each.elo, between(each.elo)) for each in found])))
        for game, name in enumerate(view.games)
        if (found := [each for each in view.standings.seats if each.game == game])
    ]
    said = note("How much a seat adds to the strength of whoever sits there, in Elo, with a weak prior that "
                "draws large effects of few deals towards 0; blocks seat everybody everywhere, so that it "
                "cancels.")
    return join((said, *plots)) if plots else Html("")


def distributions(view: View) -> Html:
    """How long games were, and what was scored."""
    cards = [card(view, game) for game in range(len(view.games)) if any(r.game == game for r in view.whole)]
    said = note("Games that a fault ended are left out. The scores of a game share one scale.")
    return join((said, el("div", *cards, class_="cards"))) if cards else Html("")


def card(view: View, game: int) -> Html:
    """One game's lengths and scores."""
    name = view.games[game]
    lengths: list[float] = [record.plies for record in view.whole if record.game == game]
    by_agent = {agent: scores for agent in view.ordered if (scores := view.scores(game, agent))}
    points = [score for scores in by_agent.values() for score in scores]
    at = edges(points)
    rows = [
        el("div",
           el("span", broken(view.names[agent]), el("small", f"mean {plain(mean(scores))}"), class_="name"),
           histogram(scores, at, f"scores of {view.names[agent]} in {name}", STRIP), class_="row")
        for agent, scores in by_agent.items()
    ]
    below = el("div", el("span", class_="name"), ends(points), class_="row axis")
    return el("div", el("h3", name), el("h4", f"Moves in a game, mean {mean(lengths):.1f}"),
              histogram(lengths, edges(lengths), f"moves in games of {name}"), ends(lengths),
              el("h4", "Scores"), *rows, below, class_="plot")


def ends(values: Sequence[float]) -> Html:
    """The least and the greatest, below a plot."""
    both = dict.fromkeys((min(values), max(values)))
    return el("div", *(el("span", minus(f"{value:g}")) for value in both), class_="ends")


def speeds(view: View) -> Html:
    """Simulations per second, and the time that agents took."""
    columns = ["agent", *(f"{name}: simulations/s" for name in view.games), "simulations", "thinking time",
               "per game"]
    rows = []
    for agent in view.ordered:
        effort = [(record.game, record.sims[seat], record.thought[seat]) for record in view.records
                  for seat, who in enumerate(record.agents) if who == agent]
        rates = [rate([(sims, took) for of, sims, took in effort if of == game])
                 for game in range(len(view.games))]
        sims, took = sum(sims for _, sims, _ in effort), sum(took for *_, took in effort)
        total = f"{sims:,}" if sims else NOTHING
        each = f"{took / len(effort):.3f} s" if effort else NOTHING
        rows.append([th(numbered(view, agent)), *tds(*rates, total, lasting(took), each)])
    said = note("As measured where the games were played; no part of the standings.")
    return join((said, table("Speed", columns, rows)))


def rate(efforts: Sequence[tuple[int, float]]) -> str:
    sims, took = (sum(each) for each in zip(*efforts, strict=True)) if efforts else (0, 0)
    return f"{sims / took:,.0f}" if sims and took else NOTHING


def faults(view: View) -> Html:
    """Who lost games otherwise than by playing, and why."""
    found = [record for record in view.records if record.fault is not None]
    if not found:
        return el("p", "None: every game was played to its end.")
    rows = [
        [th(f"{record.number}"), long(view.games[record.game]), long(culprit(view, record)),
         long(record.fault.kind), long(record.fault.reason)]
        for record in found[:MOST_FAULTS] if record.fault is not None
    ]
    more = [note(f"and {len(found) - MOST_FAULTS:,} more")] if len(found) > MOST_FAULTS else []
    said = note(f"{len(found):,} of {counted(len(view.records), 'game')}. A seat at fault comes last; the "
                "others share the first place.")
    return join((said, table("Faults", ["no", "game", "who", "fault", "reason"], rows, texts=5), *more))


def culprit(view: View, record: Record) -> str:
    seat = record.fault.seat if record.fault else None
    return "nobody" if seat is None else f"{view.names[record.agents[seat]]} (seat {seat})"


def settings(view: View) -> Html:
    """Everything that decides the games, and how to play them again."""
    heading, of = view.heading, view.heading.settings
    clocks = (("move", of.move_ms), ("seat and game", of.game_ms))
    limits = ", ".join(f"{ms:,} ms per {what}" for what, ms in clocks if ms is not None)
    agents = [agent.name if agent.name == agent.spec else f"{agent.name} = {agent.spec}"
              for agent in of.agents]
    games = ["; ".join(filter(None, (f"{each.name}, {each.players} players", options_of(each),
                                     f"cards {each.cards}"))) for each in of.games]
    pairs = [
        ("agents", lines(agents)), ("games", lines(games)),
        ("pairing", of.pairing), ("blocks", f"{of.blocks:,} deals of each game, each at every seating"),
        ("seed", f"{of.seed}: every deal's and every agent's seed follows from it"),
        ("clock", limits or "the agents' own limits"),
        ("longest game", f"{of.max_plies:,} moves"),
        ("program", f"sfumato {heading.sfumato}, signature {heading.signature}"),
    ]
    listed = el("dl", *(join((el("dt", word), el("dd", said))) for word, said in pairs), class_="settings")
    return join((listed, el("h3", "The same games again"), el("pre", el("code", view.command)),
                 note("With limits of simulations alone, every game comes out as it did here; ",
                      el("code", "sfumato replay FILE NO"), " shows one of them move by move.")))


def lines(texts: Iterable[str]) -> Html:
    """A list, a line each."""
    return join([el("code", text) for text in texts], el("br"))


#: id, heading and content; a section without content is left out
SECTIONS: tuple[tuple[str, str, Callable[[View], Html]], ...] = (
    ("ratings", "Ratings", ratings),
    ("meetings", "Cross table", meetings),
    ("superiority", "Likelihood of superiority", superiority),
    ("seats", "Seat effect", seats),
    ("distributions", "Lengths and scores", distributions),
    ("speeds", "Speed", speeds),
    ("faults", "Faults", faults),
    ("settings", "Settings", settings),
)
