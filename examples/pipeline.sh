#!/bin/sh
# The best first move of a new game, asked with plain lines of JSON: sh pipeline.sh [GAME]
# An engine calls its first game g1, and requests take effect in the order in which they come.
set -eu
{
    printf '{"id": 1, "method": "new_game", "params": {"game": "%s"}}\n' "${1:-leduc_poker}"
    printf '{"id": 2, "method": "best_move", "params": {"game": "g1", "limits": {"sims": 10000}}}\n'
} | sfumato serve --json | python3 -c '
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if "result" not in said:
        sys.exit((said.get("error") or said["params"])["message"])
print("seat {seat}: {words}".format(**said["result"]))'
