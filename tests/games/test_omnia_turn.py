"""OMNIA: the actions of a card, effects, cities, the market, and the order in which all this may be done."""

from __future__ import annotations

import copy
from collections import Counter
from random import Random

import pytest
from omnia_model import Referee
from omnia_table import (
    CHARACTERS,
    CITIES,
    INVENTIONS,
    WORKS,
    city_order,
    look,
    market,
    money,
    omnia,
    owned,
    position,
    turn,
)
from sfumato.games import SfumatoError
from statistics_of_counts import fits


def ids(state):
    return list(state.legal_actions)


def ended(state, seat=0):
    """The turn of the seat is over."""
    return state.phase == "play" and state.to_move != seat


# --- the examples of the rulebook -----------------------------------------------------------------------


def test_a_city_and_a_coin():
    """EX1, OM-C1, OM-C2, OM-C3, OM-A5, OM-T3, R8: the other two go under the pack in the order drawn"""
    state = turn("C1/2")
    assert money(state) == (1, 1, 16)
    assert state.legal_words == ["done", "coins1", "draw_city"], "no forgo: a city draw is not plain"
    drawn = state.apply("draw_city", ["drawn vinci parma roma"])
    assert drawn.words(0) == ["drawn vinci parma roma"]
    assert drawn.words(1) == []
    assert state.phase == "city"
    assert state.legal_words == ["activate vinci", "activate roma", "activate parma", "activate_none"]
    laid = state.apply("activate parma")
    assert laid.words(0) == laid.words(1) == ["place 2"]
    assert look(state)["cities_active"] == ["milano", "parma"]
    assert state.legal_words == ["done", "coins1"]
    state.apply("coins1")
    assert money(state) == (2, 1, 15)
    assert ended(state)
    seen = look(state)
    assert len(seen["city_pack"]) == 14
    assert seen["city_pack"] == [None] * 12 + ["vinci", "roma"]
    assert seen["city_known"] == [[]] * 12 + [[0], [0]]
    assert look(state, 1)["city_pack"] == [None] * 14
    assert city_order(state)[12:] == ["vinci", "roma"]


def test_a_work_and_a_character():
    """EX2, OM-A1, OM-A3, OM-A4, OM-A6, OM-T3: Ludovico costs too much, Caterina is plain and comes second"""
    given = {
        "works": "purple purple red",
        "characters": "cesare_borgia caterina ludovico_il_moro",
        "coins": [1, 1],
    }
    state = turn("WP/2", **given)
    assert state.legal_words == ["done", "forgo", "work purple", "work red", "character cesare_borgia"]
    state.apply("work red")
    assert state.legal_words == ["done", "character cesare_borgia", "character caterina"]
    state.apply("character cesare_borgia")
    assert money(state) == (0, 1, 17)
    assert (state.phase, state.legal_words) == ("effect", ["skip", "draw_city"])
    assert look(state)["pending"] == "city"
    state.apply("skip")
    assert ended(state)
    assert owned(state, 0) == "red cesare_borgia"
    other = turn("WP/2", **given)
    other.apply("forgo")
    assert other.legal_words == ["character caterina"]


@pytest.mark.parametrize(
    ("coins", "name", "left"),
    [(1, "cesare_borgia", 0), (1, "lorenzo_de_medici", 1 + 2), (3, "ludovico_il_moro", 0)],
)
def test_three_characters(coins, name, left):
    """EX3, OM-P1, OM-P2, OM-A3, OM-A8: prices go to the bank, two coins come at once"""
    state = turn("P2/2", coins=[coins, 1])
    state.apply(f"character {name}")
    assert money(state) == (left, 1, 17 - left)
    assert look(state)["characters"] == [[name], []]
    assert state.phase == ("effect" if name == "cesare_borgia" else "act")


def test_the_leonardo_work():
    """EX4, OM-W2, OM-W4, OM-A7, R10: two coins, then an invention that costs nothing, as none are left"""
    state = turn("WC/2", works="purple yellow leo_w0", inventions="azure green leo_i1", coins=[2, 1])
    state.apply("work leo_w0")
    assert money(state) == (0, 1, 17)
    assert (state.phase, look(state)["pending"]) == ("effect", "invention")
    assert state.legal_words == ["skip", "invention azure", "invention green"]
    state.apply("invention green")
    assert owned(state, 0) == "leo_w0 green"
    assert state.legal_words == ["done", "draw_city"]


@pytest.mark.parametrize("action", ["skip", "invention leo_i1", "invention azure"])
def test_an_effect_may_be_declined_and_pays_prices(action):
    """R10, OM-A6, OM-A7: with three coins the invention with a price is possible too"""
    state = turn("WC/2", works="purple yellow leo_w0", inventions="azure green leo_i1", coins=[3, 1])
    state.apply("work leo_w0")
    assert state.legal_words == ["skip", "invention azure", "invention green", "invention leo_i1"]
    state.apply(action)
    assert look(state)["coins"][0] == (0 if action == "invention leo_i1" else 1)


# --- actions --------------------------------------------------------------------------------------------


def test_a_chain_of_effects():
    """EX13, OM-A7, OM-A9, R19, R20: 5 - 2 - 2 - 1 + 1 = 1 coin; the bank gets 5 and gives 1"""
    state = turn(
        "WC/2",
        works="red leo_w0 leo_w1",
        inventions="azure green leo_i0",
        characters="ludovico_il_moro ser_piero cecilia_gallerani",
        coins=[5, 1],
    )
    bank = money(state)[-1]
    state.apply("work leo_w0")
    state.apply("invention leo_i0")
    assert state.legal_words == ["skip", "work red", "work leo_w1"]
    state.apply("work leo_w1")
    assert look(state)["coins"][0] == 0
    assert state.legal_words == ["skip", "character ser_piero"], "free ones only"
    state.apply("character ser_piero")
    assert money(state) == (1, 1, bank + 4)
    assert owned(state, 0) == "leo_w0 leo_w1 leo_i0 ser_piero"
    assert state.legal_words == ["done", "draw_city"], "then the second action of the card"
    assert look(state)["left"] == ["city"]


def test_coins_come_from_the_bank_as_far_as_it_lasts():
    """EX16, OM-A5"""
    for coins, bank, gain in (([9, 8], 1, 1), ([8, 8], 2, 2), ([5, 5], 8, 2)):
        state = turn("W2/2", coins=coins)
        state.apply("coins2")
        assert money(state) == (coins[0] + gain, coins[1], bank - gain)
    state = turn("W1/2", coins=[9, 8])
    state.apply("coins1")
    assert money(state) == (10, 8, 0)


def test_an_empty_bank_has_no_coins_to_take():
    """EX16, OM-A5: two symbols stay, one has options"""
    state = turn("W2/2", coins=[3, 15])
    assert state.legal_words == ["done", "work purple", "work yellow", "work red"]


def test_a_price_fills_the_bank_for_the_coins_that_follow():
    """EX16, OM-A3, OM-T3: 3 - 3 + 2"""
    state = turn("P2/2", coins=[3, 15])
    assert "coins2" not in state.legal_words
    state.apply("character ludovico_il_moro")
    assert money(state) == (0, 15, 3)
    assert state.legal_words == ["done", "coins2"]
    state.apply("coins2")
    assert money(state) == (2, 15, 1)


@pytest.mark.parametrize(("bank", "gain"), [(5, 2), (1, 1), (0, 0)])
def test_coins_of_an_effect_come_as_far_as_the_bank_lasts(bank, gain):
    """OM-A8, OM-A6, R10: without a decision; with an empty bank the character is free all the same"""
    state = turn("IP/2", coins=[2, 16 - bank], inventions="azure green blue")
    state.apply("character lorenzo_de_medici")
    assert money(state) == (2 + gain, 16 - bank, bank - gain)
    assert state.phase == "act"


@pytest.mark.parametrize(
    ("coins", "legal"),
    [
        (0, ["caterina"]),
        (1, ["caterina"]),
        (2, ["caterina", "lisa_gherardini"]),
        (4, ["caterina", "lisa_gherardini", "francesco_i"]),
    ],
)
def test_a_price_must_be_paid_in_full(coins, legal):
    """OM-A4, OM-A3: prices 0, 2 and 4"""
    state = turn("PC/2", characters="caterina lisa_gherardini francesco_i", coins=[coins, 1])
    assert state.legal_words == ["done", *(f"character {name}" for name in legal), "draw_city"]


@pytest.mark.parametrize("kind", ["work", "invention"])
def test_inventions_work_like_works(kind):
    """OM-A2, OM-W3, OM-W2: price 2 and 3 points, price 1 and a character, price 2 and a card of the other"""
    letter, faces = kind[0], {"work": WORKS, "invention": INVENTIONS}[kind]
    shown = f"leo_{letter}0 leo_{letter}1 leo_{letter}2"
    card = {"work": "W1/2", "invention": "I1/2"}[kind]
    for number, (price, effect) in enumerate(
        [(2, {"work": "invention", "invention": "work"}[kind]), (1, "character"), (2, None)]
    ):
        name = f"leo_{letter}{number}"
        state = turn(card, **{f"{kind}s": shown}, coins=[2, 1])
        assert faces[name][1] == price
        state.apply(f"{kind} {name}")
        assert look(state)["coins"][0] == 2 - price
        assert look(state)[f"{kind}s"][0] == {name: 1}
        assert look(state)["pending"] == effect


@pytest.mark.parametrize(
    ("name", "price", "effect"),
    [(name, price, effect) for name, (_, price, _, effect) in CHARACTERS.items()],
)
def test_every_character_does_what_it_says(name, price, effect):
    """OM-P1, OM-A6, OM-A7, OM-A8: price to the bank, then the effect"""
    others = [other for other in ("lorenzo_de_medici", "ser_piero", "bramante") if other != name][:2]
    state = turn("WP/2", characters=f"{name} {' '.join(others)}", coins=[4, 1])
    if f"character {name}" not in state.legal_words:
        assert (price, effect) == (0, "none"), "only a plain one comes second"
        state.apply("forgo")
    state.apply(f"character {name}")
    gain = {"coins1": 1, "coins2": 2}.get(effect, 0)
    assert money(state) == (4 - price + gain, 1, 13 + price - gain)
    pending = effect if effect in ("work", "invention", "character", "city") else None
    assert look(state)["pending"] == pending
    if pending == "character":
        assert state.legal_words == ["skip", *(f"character {other}" for other in others)], "R20"
    if pending == "city":
        assert state.legal_words == ["skip", "draw_city"]


@pytest.mark.parametrize(
    ("name", "market_of"),
    [
        ("verrocchio", {"works": "leo_w0 leo_w1 leo_w2"}),
        ("luca_pacioli", {"inventions": "leo_i0 leo_i1 leo_i2"}),
    ],
)
def test_an_effect_that_cannot_be_done_lapses(name, market_of):
    """R10: the coin is spent, and nothing in the market is free"""
    state = turn("PC/2", characters=f"{name} caterina bramante", coins=[1, 1], **market_of)
    state.apply(f"character {name}")
    assert (state.phase, state.legal_words) == ("act", ["done", "draw_city"])


def test_a_city_effect_without_cities_lapses():
    """R9, R10: all sixteen are active"""
    state = turn("WP/2", cities=" ".join(CITIES), coins=[1, 1])
    state.apply("character cesare_borgia")
    assert (state.phase, look(state)["left"]) == ("act", ["work"])


def test_a_city_effect_is_a_city_action():
    """OM-A8, OM-C1, EX3: Bramante draws three"""
    state = turn("P2/2", characters="bramante caterina salai")
    state.apply("character bramante")
    step = state.apply("draw_city", ["drawn roma vinci genova"])
    assert step.words(0) == ["drawn roma vinci genova"]
    state.apply("activate genova")
    assert (state.phase, look(state)["left"]) == ("act", ["coins2"])


def test_nothing_may_be_done_but_a_card_is_played():
    """OM-T4: `done` at once"""
    state = turn("WI/2")
    state.apply("done")
    assert ended(state)
    assert owned(state, 0) == ""
    assert look(state)["played"] == [["WI/2"], []]


def test_a_card_without_any_possible_action_ends_the_turn_by_itself():
    """R17, OM-T4: no coin in the bank, no work for nothing"""
    state = position(["W2/2"], works="leo_w0 leo_w1 leo_w2", coins=[0, 18])
    state.apply("play W2/2")
    assert ended(state)
    assert look(state)["played"] == [["W2/2"], []]


def test_each_symbol_gives_one_action():
    """OM-T5: work and invention, then the turn is over"""
    state = turn("WI/2")
    state.apply("work purple")
    state.apply("invention azure")
    assert ended(state)
    assert owned(state, 0) == "purple azure"


@pytest.mark.parametrize(
    "order", [("coins1", "character cecilia_gallerani"), ("character ser_piero", "coins1")]
)
def test_the_two_actions_may_be_done_in_either_order(order):
    """OM-T3: the coin first pays for the character; the other way round too"""
    state = turn("P1/3", players=3, coins=[0, 1, 1], characters="cecilia_gallerani ser_piero caterina")
    for action in order:
        state.apply(action)
    assert ended(state)


# --- the order of decisions -----------------------------------------------------------------------------


def test_legal_ids_of_a_work_and_an_invention():
    """EX14, OM-T3, OM-T4"""
    given = {"works": "purple purple leo_w0", "inventions": "azure green leo_i2", "coins": [2, 1]}
    state = turn("WI/2", **given)
    assert ids(state) == [56, 58, 61, 65, 75]
    passed = state.child(58)
    assert ids(passed) == [69, 70]
    assert look(passed)["passed"] is True
    taken = state.child(61)
    assert ids(taken) == [56, 69, 70, 75]
    assert (look(taken)["passed"], look(taken)["first_plain"]) == (False, None)


def test_a_double_symbol():
    """EX15, OM-T7: red is the highest plain one; it comes second, or alone after `forgo`"""
    state = turn("WW/2")
    assert ids(state) == [56, 58, 61, 62]
    assert ids(state.child(61)) == [62, 63]
    assert look(state.child(61))["first_plain"] == "work purple"
    assert ids(state.child(58)) == [61, 62, 63]
    state.apply("work purple")
    assert look(state)["work_market"] == {"yellow": 1, "red": 1}, "not refilled within the turn"
    step = state.apply("work red")
    assert ended(state)
    (refill,) = step.words(1)
    assert refill.split()[0] == "refill"
    assert Counter(look(state)["work_market"]) == Counter(["yellow", *refill.split()[1:]])
    assert sum(look(state)["work_market"].values()) == 3


def test_two_of_one_face_may_both_be_taken():
    """EX15, R20: after purple a purple one is left"""
    state = turn("WW/2", works="purple purple leo_w0", coins=[1, 1])
    assert state.legal_words == ["done", "forgo", "work purple"]
    state.apply("work purple")
    assert state.legal_words == ["work purple"]


def test_a_double_symbol_with_one_plain_card():
    """OM-T4: `forgo` leads to it"""
    state = turn("WW/2", works="purple leo_w0 leo_w2", coins=[1, 1])
    assert state.legal_words == ["done", "forgo"]
    state.apply("forgo")
    assert state.legal_words == ["work purple"]
    state.apply("work purple")
    assert ended(state)


def test_a_double_symbol_after_a_card_with_a_price():
    """OM-T3, EX15: any card may follow, or none"""
    state = turn("WW/2", works="purple red leo_w1", characters="francesco_i salai botticelli", coins=[1, 1])
    assert state.legal_words == ["done", "forgo", "work purple", "work leo_w1"]
    state.apply("work leo_w1")
    assert (state.phase, state.legal_words) == ("act", ["done", "work purple", "work red"])


def test_a_symbol_without_options_may_become_possible():
    """EX16, OM-T3: both symbols stay while one has no options"""
    state = turn("P2/2", coins=[1, 17])
    assert look(state)["left"] == ["coins2", "character"]
    assert state.legal_words == ["done", "character cesare_borgia", "character lorenzo_de_medici"]
    state.apply("character cesare_borgia")
    state.apply("skip")
    assert state.legal_words == ["done", "coins2"]


def test_a_plain_action_of_the_second_symbol_waits_for_the_first():
    """EX2, OM-T3, OM-T4: coins come before cards, works before inventions; `forgo` gives the first one up"""
    state = turn("I1/2")
    assert state.legal_words == ["done", "forgo", "coins1"]
    coin = state.child("coins1")
    assert coin.legal_words == ["done", "invention azure", "invention green", "invention blue"]
    state.apply("forgo")
    assert state.legal_words == ["invention azure", "invention green", "invention blue"]
    assert look(state)["left"] == ["invention"]


class Explorer(Referee):
    """A referee who goes on without words and stops where the turn ends."""

    over = False

    def _say(self, words):
        pass

    def _end_turn(self):
        self.over = True

    def result(self):
        """What the turn has changed."""
        own = self.seats[self.mover]
        cards = tuple(tuple(sorted((+cards).items())) for cards in own.cards.values())
        return cards, own.coins, self.bank, frozenset(self.active), tuple(self.pack)

    def results(self):
        if self.over:
            return {self.result()}
        found = set()
        for action in self.legal():
            other = copy.deepcopy(self)
            verb, *names = action.split()
            getattr(other, f"_{verb}")(*names)
            found |= other.results()
        return found


class AnyOrder(Explorer):
    """Every option of every symbol left, whatever comes first."""

    def _in_act(self):
        return ["done", *(option for symbol in sorted(set(self.left)) for option in self.options_of(symbol))]

    def _use(self, symbol, _option):
        if self.phase == "act":
            self.left.remove(symbol)


def results_of_play(state):
    """The same from the game itself, after a card was played: every sequence of decisions."""
    turn_of, found, met = look(state)["card"], set(), set()
    mover = state.to_move

    def follow(state):
        if state.position.state_bytes in met:
            return
        met.add(state.position.state_bytes)
        view = look(state)
        if view["card"] != turn_of:
            own = (
                view["works"][mover],
                view["inventions"][mover],
                dict.fromkeys(view["characters"][mover], 1),
            )
            cards = tuple(tuple(sorted(kind.items())) for kind in own)
            money = (view["coins"][mover], view["bank"])
            found.add((cards, *money, frozenset(view["cities_active"]), tuple(city_order(state))))
            return
        for action in state.legal_actions:
            follow(state.child(action, seed=1))

    follow(state)
    return found


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (2, 2), (3, 3), (4, 4), (4, 5)])
def test_the_order_of_decisions_loses_nothing(players, seed):
    """OM-T3, OM-T4, R20: all ends of turns of a free order, and no others, at turns of whole games"""
    luck = Random(seed)
    state = omnia().new(players=players, seed=seed)
    referee = Referee(players, state.observation(0)["options"], state.setup_words(None))
    turns = 0
    while not state.is_terminal:
        action = luck.choice(state.legal_actions)
        if state.phase == "play" and luck.random() < 0.6:
            free = copy.deepcopy(referee)
            free.__class__ = AnyOrder
            free._play(state.words(action).split()[1])
            if not free.over:
                assert results_of_play(state.child(action, seed=1)) == free.results()
                turns += 1
        step = state.apply(action)
        referee.step(step.label(None), step.words(None))
    assert turns >= 4


# --- cities ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("city", "place", "below"),
    [
        ("vinci", 1, ["parma", "roma"]),
        ("parma", 2, ["vinci", "roma"]),
        ("roma", 3, ["vinci", "parma"]),
    ],
)
def test_everybody_sees_which_of_the_three_was_laid_down(city, place, below):
    """OM-C2, OM-C3, R8"""
    state = turn("C1/2")
    state.apply("draw_city", ["drawn vinci parma roma"])
    step = state.apply(f"activate {city}")
    assert step.words(0) == step.words(1) == [f"place {place}"]
    assert city_order(state)[-2:] == below
    assert len(city_order(state)) == 14


def test_none_of_them_may_be_laid_down():
    """OM-C2, OM-C3, R21: all three go under the pack; no city leaves the game"""
    state = turn("C1/2")
    top = city_order(state)
    state.apply("draw_city", ["drawn vinci parma roma"])
    step = state.apply("activate_none")
    assert step.words(0) == step.words(1) == []
    assert look(state)["cities_active"] == ["milano"]
    assert city_order(state)[-3:] == ["vinci", "parma", "roma"]
    assert sorted(city_order(state)) == sorted(top)


def test_a_city_draw_needs_the_symbol():
    """OM-C1"""
    for card in ("WI/2", "P2/2", "W1/2"):
        assert "draw_city" not in turn(card).legal_words


def test_fewer_than_three_cities():
    """R9, OM-C4: two are left in the pack, then one, then none; sixteen may be active"""
    active = [city for city in CITIES if city not in ("vinci", "genova")]
    state = turn("C1/2", cities=" ".join(active))
    state.apply("draw_city", ["drawn genova vinci"])
    assert state.legal_words == ["activate vinci", "activate genova", "activate_none"]
    state.apply("activate vinci")
    state.apply("coins1")
    assert look(state)["city_pack"] == ["genova"]
    assert look(state, 1)["city_pack"] == [None]
    empty = turn("C1/2", cities=" ".join(CITIES))
    assert empty.legal_words == ["done", "coins1"]


def test_a_script_may_name_the_cities_that_are_drawn():
    """OM-C1, R8: those that the mover does not know change places; those that it knows cannot"""
    state = turn("C1/2", cities="milano", pack="vinci:0 roma:0")
    before = city_order(state)
    state.apply("draw_city", ["drawn parma genova venezia"])
    after = city_order(state)
    assert after[:3] == ["parma", "genova", "venezia"]
    assert after[-2:] == before[-2:] == ["vinci", "roma"]
    other = turn("C1/2", cities="milano", pack="vinci:0 roma:0")
    for words in ("drawn vinci parma genova", "drawn parma genova", "drawn milano parma genova"):
        with pytest.raises(SfumatoError) as refused:
            other.apply("draw_city", [words])
        assert refused.value.code == "bad_event"


def test_three_cities_are_drawn_from_the_top_of_the_pack():
    """OM-C1: what lies there, and nothing else"""
    for seed in range(10):
        state = turn("C1/2", seed=seed)
        top = city_order(state)[:3]
        assert state.apply("draw_city").words(0) == [f"drawn {' '.join(top)}"]
        assert look(state)["city_pack"][:3] == top
        assert look(state, 1)["city_pack"] == [None] * 15


# --- the market -----------------------------------------------------------------------------------------


def test_the_market_is_filled_after_every_turn():
    """R1, OM-T7: works, inventions, characters, in this order; all see them"""
    state = turn("WI/2", works="purple yellow red", inventions="azure green blue")
    state.apply("work purple")
    assert market(state).split()[:2] == ["yellow", "red"]
    step = state.apply("invention azure", ["refill leo_w1 teal"])
    assert step.words(0) == step.words(1) == ["refill leo_w1 teal"]
    assert look(state)["work_market"] == {"yellow": 1, "red": 1, "leo_w1": 1}
    assert look(state)["invention_market"] == {"green": 1, "blue": 1, "teal": 1}


@pytest.mark.parametrize(("to_move", "filled"), [(0, False), (1, False), (2, True)])
def test_the_market_may_be_filled_after_every_round_only(to_move, filled):
    """R1, OM-T7, EX15: `refill = round`"""
    game = omnia(refill="round")
    state = turn("WW/2", players=3, to_move=to_move, game=game)
    state.apply("work purple")
    step = state.apply("work red")
    assert sum(look(state)["work_market"].values()) == (3 if filled else 1)
    assert bool(step.words(0)) == filled


def test_a_short_market_at_play_is_possible_with_that_option():
    """R1, EX15: seat 1 finds one work"""
    game = omnia(refill="round")
    state = position(to_move=1, game=game, works="yellow")
    assert look(state, 1)["work_market"] == {"yellow": 1}
    with pytest.raises(SfumatoError):
        position(to_move=1, works="yellow")


def test_nothing_is_filled_after_the_last_turn():
    """R1, OM-T1"""
    for options in ({}, {"refill": "round"}):
        state = turn("WI/2", to_move=1, round=5, game=omnia(**options))
        state.apply("work purple")
        step = state.apply("invention azure")
        assert state.is_terminal
        assert step.words(0) == []
        assert market(state).split()[:4] == ["yellow", "red", "green", "blue"]


def test_an_empty_pack_leaves_the_market_short():
    """R18, OM-T7: seat 1 has all other works"""
    rest = " ".join(
        f"{face} " * (copies - (face in ("purple", "yellow", "red"))) for face, (copies, *_) in WORKS.items()
    )
    state = turn("W1/2", own=["", rest])
    state.apply("coins1")
    step = state.apply("work purple")
    assert step.words(0) == []
    assert look(state)["work_market"] == {"yellow": 1, "red": 1}
    assert (state.phase, state.to_move) == ("play", 1)


def test_refilled_cards_come_from_the_pack_by_their_copies():
    """OM-S3, OM-T7, R18: what is not in the market and not owned; here 2 purple, 1 orange, 1 leo_w1"""
    own = "purple yellow yellow yellow red red red orange orange orange leo_w0 leo_w2"
    found = Counter()
    for seed in range(600):
        state = turn("W1/2", own=["", own], works="purple yellow red", seed=seed)
        state.apply("coins1")
        found[state.apply("work red").words(0)[0]] += 1
    assert fits(found, {"refill purple": 2, "refill orange": 1, "refill leo_w1": 1})


def test_a_refill_that_cannot_come_is_refused():
    """OM-T7, R18"""
    state = turn("W1/2", own=["", "leo_w0"])
    state.apply("coins1")
    for words in ("refill leo_w0", "refill azure", "refill purple purple", "refill"):
        with pytest.raises(SfumatoError) as refused:
            state.apply("work red", [words])
        assert refused.value.code == "bad_event"
    state.apply("work red", ["refill leo_w1"])
    assert look(state)["work_market"] == {"purple": 1, "yellow": 1, "leo_w1": 1}


@pytest.mark.parametrize(
    "words",
    [
        "coins2",
        "work orange",
        "character caterina",
        "invention azure",
        "keep C1/2",
        "play W1/2",
        "skip",
        "activate roma",
        "activate_none",
    ],
)
def test_an_action_that_is_not_possible_is_refused(words):
    """OM-T5, OM-A1, OM-A3"""
    state = turn("W1/2")
    before = state.to_bytes()
    with pytest.raises(SfumatoError) as refused:
        state.apply(words)
    assert refused.value.code == "bad_action"
    assert state.to_bytes() == before
