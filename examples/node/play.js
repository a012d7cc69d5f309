// A whole game between two kinds of bots: `npm install`, then `node play.js [GAME]` with sfumato on the path.

import { Engine, Refused } from "./engine.js";

const name = process.argv[2] ?? "enigma";
const agents = ["ismcts", "greedy"];

/** Looks at one table from many sides at once: answers come when they are ready, in any order. */
async function askTogether(engine, game) {
  const answers = ["greedy", "flat", "pimc", "ismcts"].map(async (agent) => {
    const { words } = await engine.ask("best_move", { game, agent, limits: { sims: 1000 } });
    return `${agent}: ${words}`;
  });
  console.log("several opinions:", (await Promise.all(answers)).join(", "));
}

/** Watches a search of half a minute, and has seen enough after three reports. */
async function watch(engine, game) {
  let reports = 0;
  const search = engine.send("best_move", { game, limits: { ms: 30000 }, report_every_ms: 20 }, (soFar) => {
    if (++reports > 3) return;
    console.log(`so far: ${soFar.words}`);
    if (reports === 3) engine.ask("cancel", { id: search.id });
  });
  const found = await search.answer;
  console.log(`stopped (${found.stop}): ${found.words}`);
}

async function play(engine, table) {
  const { game } = table;
  while (table.to_move !== null) {
    const agent = agents[table.to_move % agents.length];
    const { words } = await engine.ask("best_move", { game, agent, limits: { sims: 500 } });
    console.log(`seat ${table.to_move} (${agent}): ${words}`);
    table = await engine.ask("apply", { game, action: words });
  }
  console.log(`points by seat: ${table.outcome.scores.join(" ")}`);
}

const engine = new Engine();
try {
  const table = await engine.ask("new_game", { game: name });
  await askTogether(engine, table.game);
  await watch(engine, table.game);
  await play(engine, table);
  await engine.ask("apply", { game: table.game, action: "pass" }).catch((error) => {
    if (!(error instanceof Refused)) throw error;
    console.log(`and no further move: ${error.message} (${error.code})`);
  });
  console.log(`the engine ended with code ${await engine.close()}`);
} catch (error) {
  console.error(error.code === "ENOENT" ? "there is no sfumato on the path" : error.message);
  await engine.close();
  process.exitCode = 1;
}
