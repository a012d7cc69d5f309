// A client of `sfumato serve`: MessagePack-RPC over the streams of a child process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { decodeMultiStream, encode } from "@msgpack/msgpack";

/** A request that the engine refused, with its code and the place in the parameters. */
export class Refused extends Error {
  constructor({ code, message, path }) {
    super(path ? `${path}: ${message}` : message);
    Object.assign(this, { code, path });
  }
}

export class Engine {
  #child = spawn("sfumato", ["serve"], { stdio: ["pipe", "pipe", "inherit"] });
  #waiting = new Map(); // by the id of a request: who waits for its answer, and who for reports on it
  #last = 0;
  #exit = this.#run();

  /** Sends a request without waiting for others: its id, and a promise of its answer. */
  send(method, params = {}, report = () => {}) {
    const id = ++this.#last;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, report }));
    this.#child.stdin.write(encode([0, id, method, [params]]));
    return { id, answer };
  }

  ask(method, params) {
    return this.send(method, params).answer;
  }

  /** Ends the engine, which first answers everything that is under way: its exit code. */
  close() {
    this.#child.stdin.end();
    return this.#exit;
  }

  /** Takes what the engine says until it ends; those who still wait then are told the reason. */
  async #run() {
    this.#child.stdin.on("error", () => {}); // what cannot be written will not be answered either
    let reason = new Error("the engine has ended");
    const ended = once(this.#child, "close").catch((error) => {
      reason = error; // there is no such program
      return [null];
    });
    try {
      // Messages may be split over chunks, and one chunk may hold several: the decoder sees to both.
      for await (const message of decodeMultiStream(this.#child.stdout)) this.#take(message);
    } catch (error) {
      reason = error;
      this.#child.stdin.end();
    }
    const [code] = await ended;
    for (const { reject } of this.#waiting.values()) reject(reason);
    return code;
  }

  #take([kind, ...rest]) {
    if (kind === 1) {
      const [id, error, result] = rest;
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) reject(new Refused(error));
      else resolve(result);
    } else if (rest[0] === "report") {
      const [{ id, so_far }] = rest[1];
      this.#waiting.get(id)?.report(so_far);
    } else {
      throw new Refused(rest[1][0]); // the engine could not read what we sent
    }
  }
}
