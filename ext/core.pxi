# The part of a game core that is the same in all: its `Core`, with the structs' sizes and the functions of
# the contract. Included behind them; the game's own constants follow.

cdef Core core
core.rules_size = sizeof(Rules)
core.state_size = sizeof(State)
core.event_size = sizeof(Event)
core.new = new
core.legal = legal
core.apply = apply
core.hide = hide
core.deal = deal
core.label = label
core.seen = seen
core.outcome = outcome
core.playout = playout
core.greedy = greedy
core.evaluate = evaluate
core.check = check
