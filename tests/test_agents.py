"""Agents: what a spec means, what is refused, and what an agent is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from sfumato import SfumatoError, State, load
from sfumato.agents import KINDS as ALL_KINDS
from sfumato.agents import GreedyAgent, Kind, RandomAgent, SearchAgent, agent, around, decide
from sfumato.parameters import Parameter

PARAMETERS = (
    Parameter("sims", "simulations", 400, low=1, high=9000),
    Parameter("c", "exploration", 0.7, low=0, high=10),
    Parameter("variant", "trees", "so", choices=("so", "mo")),
    Parameter("plain", "untuned", False),
)


@dataclass(frozen=True)
class Thinker:
    sims: int = 400
    c: float = 0.7
    variant: str = "so"
    plain: bool = False

    def choose(self, hidden: State, seed: int, report: object = None) -> int:
        raise NotImplementedError


KINDS = {"thinker": Kind("thinker", "for these tests", Thinker, PARAMETERS)}


@dataclass
class Spy:
    """Plays the first legal move and keeps what it was shown."""

    shown: list[State] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)

    def choose(self, hidden: State, seed: int, report: object = None) -> int:  # noqa: ARG002
        self.shown.append(hidden)
        self.seeds.append(seed)
        return hidden.legal_actions[0]


@pytest.fixture
def state() -> State:
    return load("leduc_poker").new(seed=5, seen=["hand 0 J", "hand 1 K"])


def test_a_name_alone_takes_every_default() -> None:
    assert agent("thinker", KINDS) == Thinker(400, 0.7, "so", False)


def test_parameters_are_read_by_their_types() -> None:
    assert agent("thinker:sims=1000,variant=mo,c=1,plain", KINDS) == Thinker(1000, 1.0, "mo", True)
    assert agent("thinker:plain=false", KINDS) == Thinker(400, 0.7, "so", False)


@pytest.mark.parametrize(("spec", "message"), [
    ("minmax", "unknown agent 'minmax'; known: thinker"),
    ("", "unknown agent ''; known: thinker"),
    ("thinker:sim=3", "agent thinker:sim=3: unknown parameter of thinker 'sim' (did you mean sims?); "
                      "known: sims, c, variant, plain"),
    ("thinker:", "agent thinker:: unknown parameter of thinker ''; known: sims, c, variant, plain"),
    ("thinker:sims=0", "agent thinker:sims=0: sims: expected a whole number from 1 to 9,000, got '0'"),
    ("thinker:sims=3.5", "agent thinker:sims=3.5: sims: expected a whole number from 1 to 9,000, got '3.5'"),
    ("thinker:sims", "agent thinker:sims: sims: expected a whole number from 1 to 9,000, got nothing"),
    ("thinker:c=nan", "agent thinker:c=nan: c: expected a number from 0 to 10, got 'nan'"),
    ("thinker:variant=xo", "agent thinker:variant=xo: variant: expected so or mo, got 'xo'"),
    ("thinker:plain=1", "agent thinker:plain=1: plain: expected true or false, got '1'"),
    ("thinker:c=1,c=2", "agent thinker:c=1,c=2: c: given twice"),
])
def test_a_wrong_spec_is_refused_by_name(spec: str, message: str) -> None:
    with pytest.raises(SfumatoError) as refused:
        agent(spec, KINDS)
    assert str(refused.value) == message
    assert refused.value.code == "bad_agent"


def test_the_agents_that_there_are() -> None:
    assert isinstance(agent("random"), RandomAgent)
    assert agent("greedy") == GreedyAgent(noise=0.0)
    assert agent("greedy:noise=0.25") == GreedyAgent(noise=0.25)
    for name in ("flat", "pimc", "ismcts"):
        assert isinstance(agent(name), SearchAgent)


def settings(spec: str, state: State) -> dict[str, object]:
    found = agent(spec)
    assert isinstance(found, SearchAgent)
    return {**found.searcher.settings(state.game), **found.limits}


def test_a_search_takes_its_limits_and_settings_from_its_spec(state: State) -> None:
    assert agent("ismcts").limits == {"sims": 10_000}
    assert agent("ismcts:ms=200").limits == {"ms": 200.0}
    assert agent("flat:sims=400,nodes=50").limits == {"sims": 400, "nodes": 50}
    found = settings("ismcts:sims=1000,variant=mo,c=0.25,chance=split,trees=3", state)
    assert (found["variant"], found["c"], found["chance"], found["trees"]) == ("mo", 0.25, "split", 3)
    assert settings("pimc:sims=1000,worlds=7", state)["worlds"] == 7
    assert settings("pimc", state)["variant"] == "pimc"
    assert settings("flat", state)["variant"] == "flat"


def test_the_plain_search_leaves_the_games_own_settings_aside(state: State) -> None:
    plain = {"variant": "so", "chance": "open", "c": 0.7, "noise": 1.0, "cut": -1, "rank": 0.0, "score": 0.0}
    assert settings("ismcts:plain", state).items() >= plain.items()
    assert settings("ismcts", state).items() >= dict(state.game.search).items()


@pytest.mark.parametrize("kind", ALL_KINDS.values(), ids=lambda kind: kind.name)
def test_every_parameter_declares_its_range_and_takes_its_default(kind: Kind, state: State) -> None:
    for each in kind.parameters:
        assert each.help and each.expected
        assert each.accept(each.default) == each.default
        few = "" if each.name in ("sims", "noise") else "sims=5,"
        spec = f"{kind.name}:{few}{each.name}={str(each.default).lower()}"
        assert agent(spec).choose(state.hidden(0), 1) in state.legal_actions


@pytest.mark.parametrize(("spec", "message"), [
    ("ismcts:variant=pimc", "variant: expected so or mo or ris, got 'pimc'"),
    ("ismcts:worlds=3", "unknown parameter of ismcts 'worlds'"),
    ("ismcts:sims=0", "sims: expected a whole number from 1 to 1,000,000,000, got '0'"),
    ("ismcts:ms=-1", "ms: expected a number from 0 to 1,000,000,000, got '-1'"),
    ("ismcts:rank=0.7,score=0.7", "rank and score are shares of 1, here 0.7 and 0.7"),
    ("flat:c=1", "unknown parameter of flat 'c'"),
])
def test_a_wrong_search_is_refused_by_name(spec: str, message: str) -> None:
    with pytest.raises(SfumatoError) as refused:
        agent(spec)
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"agent {spec}: ")


def test_an_agent_sees_what_its_seat_knows_and_never_the_true_state(state: State) -> None:
    spy = Spy()
    decide(spy, state, 0, seed=1, move=0)
    assert spy.shown == [state.hidden(0)]
    assert spy.shown != [state]  # the canonical world gives the other seat the lowest card left: J, not K
    assert spy.shown[0].fields().hand == [0, 0]


def test_seeds_depend_on_game_seat_and_move(state: State) -> None:
    spy = Spy()
    for seed, seat, move in [(1, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 1), (1, 0, 0)]:
        decide(spy, state, seat, seed, move)
    assert len(set(spy.seeds)) == 4
    assert spy.seeds[0] == spy.seeds[4]


def test_a_search_remembers_nothing_of_the_moves_before() -> None:
    game = load("enigma")
    used = agent("ismcts:sims=50")
    table = game.new(seed=1)
    for move in range(60):
        if table.to_move is None:
            break
        hidden = table.hidden(table.to_move)
        action = used.choose(hidden, move)
        assert action == agent("ismcts:sims=50").choose(hidden, move)
        table.apply(action)


def test_random_plays_every_legal_move_about_equally_often(state: State) -> None:
    state.apply("raise")  # fold, call, raise
    played = [RandomAgent().choose(state.hidden(1), seed) for seed in range(3000)]
    for action in (0, 1, 2):
        assert 900 < played.count(action) < 1100  # 1000, with a deviation of 26


def test_greedy_plays_the_games_simple_move_and_noise_makes_it_stray(state: State) -> None:
    hidden = state.hidden(0)
    assert {GreedyAgent(0.0).choose(hidden, seed) for seed in range(50)} == {hidden.greedy}
    strayed = sum(GreedyAgent(0.5).choose(hidden, seed) != hidden.greedy for seed in range(2000))
    assert 420 < strayed < 580  # half of its moves are random, half of those another one: 500, deviation 19


def test_agents_sit_down_in_turn() -> None:
    assert around(["a", "b"], 5) == ["a", "b", "a", "b", "a"]
    assert around(["a", "b"], 2) == ["a", "b"]
    with pytest.raises(SfumatoError, match="3 agents for 2 seats"):
        around(["a", "b", "c"], 2)
