"""What a tournament plays: match-ups, seatings, numbers and seeds, and what is refused before it begins."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from refusals import refused
from sfumato.agents import KINDS
from sfumato.games import NAMES, game_class, load
from sfumato.plan import Entrant, Settings, Table, entrants, load_table, matchups, seatings, tables

#: tables that need no game: a plan reads names and player counts only
TWO, THREE, FIVE = (Table(f"of {players}", players, {}, "") for players in (2, 3, 5))


def plan(games: tuple[Table, ...], agents: str, **more: object) -> Settings:
    return Settings(games, tuple(Entrant(name, name) for name in agents), **more)  # type: ignore[arg-type]


def seats(settings: Settings) -> list[str]:
    """The seatings of the first block, an agent's letter per seat."""
    return ["".join(settings.agents[index].name for index in sitting.agents) for sitting in settings.round]


def test_at_two_seats_every_pair_meets_with_both_seatings() -> None:
    assert seats(plan((TWO,), "abc")) == ["ab", "ba", "ac", "ca", "bc", "cb"]


def test_in_a_gauntlet_the_first_agent_is_in_every_game() -> None:
    assert seats(plan((TWO,), "abc", pairing="gauntlet")) == ["ab", "ba", "ac", "ca"]
    assert all("a" in each for each in seats(plan((THREE, FIVE), "abcd", pairing="gauntlet")))
    assert matchups(4, 3, "gauntlet") == [(0, 1, 2), (0, 1, 3), (0, 2, 3)]


def test_three_agents_at_three_seats_sit_in_all_six_ways() -> None:
    assert seats(plan((THREE,), "abc")) == ["abc", "acb", "bac", "bca", "cab", "cba"]


def test_where_there_are_more_than_six_seatings_the_rotations_are_played() -> None:
    assert seatings((0, 1, 2, 3)) == [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]
    assert seatings((0, 0, 1, 1)) == [(0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 0, 1, 0),
                                      (1, 1, 0, 0)], "six are few enough"


def test_where_agents_are_fewer_than_seats_each_stands_alone_against_each_other() -> None:
    assert seats(plan((THREE,), "ab")) == ["abb", "bab", "bba", "baa", "aba", "aab"]
    assert [each[0] for each in matchups(3, 5, "round-robin")] == [0, 1, 0, 2, 1, 2]


@pytest.mark.parametrize("agents", ["ab", "abc", "abcdef"])
@pytest.mark.parametrize("table", [TWO, THREE, FIVE])
def test_in_a_block_every_agent_of_a_match_up_has_every_seat_equally_often(table: Table, agents: str) -> None:
    for matchup in matchups(len(agents), table.players, "round-robin"):
        for seat in range(table.players):
            had = Counter(seating[seat] for seating in seatings(matchup))
            shares = {had[agent] / matchup.count(agent) for agent in matchup}
            assert len(shares) == 1


def test_games_are_numbered_by_block_then_game_then_match_up_then_seating() -> None:
    settings = plan((TWO, THREE), "abc", blocks=3)
    games = [settings.planned(number) for number in range(settings.total)]
    assert [each.number for each in games] == list(range(36))
    order = [(each.block, each.game, each.matchup) for each in games]
    assert order == sorted(order)
    assert len({(each.block, each.game, each.agents) for each in games}) == 36, "none is played twice"


def test_all_match_ups_of_a_block_play_one_deal_and_every_block_another() -> None:
    settings = plan((TWO, THREE), "abc", blocks=5)
    games = [settings.planned(number) for number in range(settings.total)]
    assert len({each.seed for each in games}) == len({(each.game, each.block) for each in games}) == 10


def test_a_deal_does_not_depend_on_who_plays_it_nor_on_how_many_blocks_there_are() -> None:
    long = plan((THREE, TWO), "xyz", blocks=100, pairing="gauntlet", move_ms=5)
    for game, number in ((0, 0), (1, 6)):
        alone = plan((long.games[game],), "ab")
        assert alone.planned(0).seed == long.planned(number).seed


def test_another_seed_game_or_player_count_is_another_deal() -> None:
    others = [plan((TWO,), "ab"), plan((TWO,), "ab", seed=1), plan((THREE,), "ab"),
              plan((Table("of 2", 3, {}, ""),), "ab")]
    assert len({each.planned(0).seed for each in others}) == 4


def test_the_agents_of_a_deal_share_a_key_from_which_no_seed_of_a_deal_comes() -> None:
    settings = plan((TWO, THREE), "abc", blocks=2)
    games = [settings.planned(number) for number in range(settings.total)]
    keys = {(each.game, each.block): settings.key(each) for each in games}
    assert all(settings.key(each) == keys[each.game, each.block] for each in games)
    assert len({*keys.values()}) == 4
    assert all(key >> 128 for key in keys.values()), "too many to be tried"
    assert not {key % 2**48 for key in keys.values()} & {each.seed for each in games}
    assert not {key >> 208 for key in keys.values()} & {each.seed for each in games}


def test_the_deals_stay_what_they_were() -> None:
    settings = plan((TWO,), "ab", seed=7, blocks=2)
    assert [settings.planned(number).seed for number in (0, 2)] == [155240069581626, 75944993217638]


def test_settings_come_back_from_json_whole() -> None:
    settings = Settings(tables(NAMES), entrants(["greedy", "best=ismcts:sims=10"]), blocks=3, move_ms=50)
    assert msgspec.json.decode(msgspec.json.encode(settings), type=Settings) == settings


# --- what a person gives --------------------------------------------------------------------------------


def test_an_agent_is_called_by_its_name_or_else_by_its_spec() -> None:
    given = ["greedy", "ismcts:sims=10,c=0.5", "my best-1=ismcts:sims=10", "cmd[ms=5]:./x --a=b",
             "two=cmd:./x a=b"]
    assert [(each.name, each.spec) for each in entrants(given)] == [
        ("greedy", "greedy"), ("ismcts:sims=10,c=0.5", "ismcts:sims=10,c=0.5"),
        ("my best-1", "ismcts:sims=10"), ("cmd[ms=5]:./x --a=b", "cmd[ms=5]:./x --a=b"),
        ("two", "cmd:./x a=b"),
    ]


def test_one_spec_may_play_under_two_names_but_not_under_one() -> None:
    assert len(entrants(["greedy", "again=greedy"])) == 2
    with refused("greedy", "two of this name", "other=SPEC"):
        entrants(["greedy", "random", "greedy"])


@pytest.mark.parametrize("given", [[], ["greedy"]])
def test_fewer_than_two_agents_are_refused(given: list[str]) -> None:
    with refused("two agents or more", f"got {len(given)}"):
        entrants(given)


def test_a_name_that_no_table_could_show_is_refused() -> None:
    with refused("at most 40 characters"):
        entrants(["x" * 41 + "=greedy", "random"])


@pytest.mark.parametrize("name", ["ä,ö", "", " a", "a/b", "-x", "a\nb"])
def test_a_name_that_is_none_is_refused_as_a_name(name: str) -> None:
    with refused("a name is of letters, digits", repr(name)):
        entrants([f"{name}=greedy", "random"])


def test_names_may_have_letters_of_any_alphabet() -> None:
    assert [each.name for each in entrants(["ä ö=greedy", "Ж.1=random"])] == ["ä ö", "Ж.1"]


def test_a_player_count_that_some_games_have_leaves_the_others_with_their_fewest() -> None:
    found = tables(["connect_four", "enigma"], [4])
    assert [(table.name, table.players) for table in found] == [("connect_four", 2), ("enigma", 4)]
    with refused("connect_four is for 2 players, not 4"):
        tables(["connect_four", "leduc_poker"], [4])


def test_a_game_is_played_with_the_fewest_players_or_with_the_counts_that_it_has() -> None:
    assert [table.players for table in tables(NAMES)] == [game_class(name).seats[0] for name in NAMES]
    widest = max(NAMES, key=lambda name: len(game_class(name).seats))
    counts = list(game_class(widest).seats)
    assert [table.players for table in tables([widest], [99, *counts, counts[0]])] == counts


def test_a_table_has_all_options_in_force_and_the_digest_of_its_cards() -> None:
    name = next(name for name in NAMES if game_class(name).options)
    option = game_class(name).options[0]
    value = option.choices[-1] if option.choices else option.high
    table, *_ = tables([name], options=[f"{option.name}={str(value).lower()}"])
    assert table.options[option.name] == value
    assert table.options.keys() == {each.name for each in game_class(name).options}
    assert table.cards == load(name).cards_digest
    assert load_table(table).option_values(table.players) == table.options


def test_an_option_goes_to_every_game_that_has_it_and_to_no_other() -> None:
    name = next(name for name in NAMES if game_class(name).options)
    option = game_class(name).options[0]
    value = option.choices[0] if option.choices else option.low
    for table in tables(NAMES, options=[f"{option.name}={str(value).lower()}"]):
        known = {each.name for each in game_class(table.name).options}
        assert table.options.get(option.name) == (value if option.name in known else None)


@pytest.mark.parametrize(("names", "counts", "options", "parts"), [
    (["chess"], [], [], ["unknown game 'chess'", NAMES[0]]),
    ([NAMES[0], NAMES[0]], [], [], [NAMES[0], "given twice"]),
    ([NAMES[0]], [99], [], [NAMES[0], "players, not 99"]),
    ([NAMES[0]], [], ["speed"], ["option", "expected NAME=VALUE, got 'speed'"]),
    (NAMES, [], ["speed=1"], ["unknown option of", "'speed'"]),
])
def test_what_no_game_can_be_is_refused(names: list[str], counts: list[int], options: list[str],
                                        parts: list[str]) -> None:
    with refused(*parts):
        tables(names, counts, options)


def test_a_table_with_other_cards_than_this_programs_is_refused() -> None:
    table, *_ = tables([NAMES[0]])
    with refused(NAMES[0], "card table", table.cards):
        load_table(msgspec.structs.replace(table, cards="0" * 32))


def test_every_kind_of_agent_can_be_named() -> None:
    assert [each.spec for each in entrants(KINDS)] == list(KINDS)
