"""Simulations per second against OpenSpiel's compiled bots: 10,000 simulations of the first decision.

Both sides search the same deals with random rollouts, one per simulation; making the tree counts. OpenSpiel
takes its exploration constant on unscaled returns: ours, on payoffs between 0 and 1, is that constant
divided by the range of the returns, so that both explore alike. In Leduc poker and Oh Hell the payoff is the
normalised score, in Connect Four the share of the win, which is what OpenSpiel's returns say.

The ratio depends on the deal: on the card held in Leduc poker (a king is raised, and the tree is another),
on the number of tricks in Oh Hell, which is drawn from 1 to 17 (with few of them OpenSpiel's time hardly
falls). So each of them is searched, and the bar holds for the time of all together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import sfumato.games

from .measure import Row, middle, paired
from .trees import grow

if TYPE_CHECKING:
    from sfumato.games import State

    #: seconds of ours and theirs, round by round
    Rounds = list[tuple[float, float]]

SIMULATIONS = 10_000
ROUNDS = 9


class Deal(NamedTuple):
    """A set-up, and what OpenSpiel has to draw for the same."""

    ours: State
    drawn: Sequence[int] = ()


class Match(NamedTuple):
    """A game against OpenSpiel's bot for it."""

    game: str
    bot: str
    #: OpenSpiel's constant, and what divides it for us
    c: float
    span: int
    #: our weight of points in the payoff
    score: float
    must: int
    #: how often we search while OpenSpiel does once
    times: int


LEDUC = Match("leduc_poker", "ISMCTSBot", 18.2, 26, 1.0, 16, 16)
OH_HELL = Match("oh_hell", "ISMCTSBot", 15.0, 27, 1.0, 18, 8)
CONNECT_FOUR = Match("connect_four", "MCTSBot", 2.0, 2, 0.0, 22, 24)
#: numbers of tricks whose ratios are told
TOLD = (1, 5, 9, 13, 17)


def leduc_deals() -> dict[str, Deal]:
    """OpenSpiel has two cards of each rank: 0 and 1 are jacks, 2 and 3 queens, 4 and 5 kings."""
    game = sfumato.games.load("leduc_poker")
    return {card: Deal(game.new(seed=1, seen=[f"hand 0 {card}", "hand 1 J"]), (2 * rank, 1))
            for rank, card in enumerate("JQK")}


def oh_hell_deals() -> dict[str, Deal]:
    """OpenSpiel draws tricks, dealer, cards in turn, trump."""
    deals = {}
    for tricks in range(1, 18):
        ours = sfumato.games.load("oh_hell").new(seed=tricks, seen=[f"tricks {tricks}"])
        start = ours.fields()
        hands = ([card for card in range(52) if hand >> card & 1] for hand in start.hand)
        in_turn = [card for cards in zip(*hands, strict=True) for card in cards]
        deals[str(tricks)] = Deal(ours, (tricks, start.dealer, *in_turn, start.trump))
    return deals


def connect_four_deals() -> dict[str, Deal]:
    return {"": Deal(sfumato.games.load("connect_four").new(seed=1))}


def their_state(match: Match, deal: Deal) -> Any:
    import pyspiel

    state = pyspiel.load_game(match.game).new_initial_state()
    for outcome in deal.drawn:
        state.apply_action(outcome)
    if (deal.ours.to_move, deal.ours.legal_actions) != (state.current_player(), state.legal_actions()):
        raise RuntimeError(f"not the same position of {match.game}:\n{deal.ours}\n{state}")
    return state


def their_bot(match: Match) -> Any:
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
    if match.bot == "ISMCTSBot":
        return pyspiel.ISMCTSBot(1, evaluator, match.c, SIMULATIONS)
    game = pyspiel.load_game(match.game)
    return pyspiel.MCTSBot(game, evaluator, match.c, SIMULATIONS, 1_000, False, 1, False)


def timed(match: Match, deal: Deal) -> Rounds:
    """Seconds of one search each."""
    ours = partial(grow, deal.ours.position, SIMULATIONS, match.times, c=match.c / match.span,
                   score=match.score)
    theirs = partial(their_bot(match).step, their_state(match, deal))
    return [(mine / match.times, other) for mine, other in paired(ours, theirs, ROUNDS)]


def ratio_of(rounds: Rounds) -> float:
    return middle([theirs / ours for ours, theirs in rounds])


def row(match: Match, deals: Mapping[str, Deal], told: Sequence[str] = ()) -> Row:
    by_deal = {name: timed(match, deal) for name, deal in deals.items()}
    whole = [(sum(ours for ours, _ in pairs), sum(theirs for _, theirs in pairs))
             for pairs in zip(*by_deal.values(), strict=True)]
    ratio = ratio_of(whole)
    sims = SIMULATIONS * len(deals)
    ours, theirs = (sims / middle([pair[side] for pair in whole]) / 1e6 for side in (0, 1))
    figure = f"{ratio:.1f} x ({ours:.2f}M/s, OpenSpiel {theirs:.3f}M/s)"
    if told:
        figure += "; " + ", ".join(f"{name}: {ratio_of(by_deal[name]):.1f}" for name in told)
    work = f"`{match.game}` simulations/s in {SIMULATIONS:,} against `{match.bot}` (c = {match.c:g})"
    return Row(work, figure, f">= {match.must} x", ratio >= match.must)


def rows() -> list[Row]:
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        missing = "not measured: the extra `bench` (open_spiel) is missing"
        return [Row(f"`{match.game}` simulations/s against OpenSpiel", missing, f">= {match.must} x", False)
                for match in (LEDUC, OH_HELL, CONNECT_FOUR)]
    return [row(LEDUC, leduc_deals(), "JQK"), row(OH_HELL, oh_hell_deals(), [str(tricks) for tricks in TOLD]),
            row(CONNECT_FOUR, connect_four_deals())]
