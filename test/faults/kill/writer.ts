import { type Random, randomInt } from "#/std/base/random.ts";
import { nextTurn } from "#/std/time/clock.ts";
import type { Answer, ApiObject, ClusterApi } from "./cluster-api.ts";

export const finalizer = "k8ts.test/kept";

/** What the API must return for an object: absent, or its number, and whether it waits for its finalizer. */
type State = "absent" | { readonly n: number; readonly kept: boolean; readonly deleted: boolean };

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly after: State;
}

/**
 * Creates, changes and deletes objects of its own, one request at a time, and compares each response with the state that
 * the earlier responses allow. After a request without a clear result it reads the object: both states are allowed.
 */
export class Writer {
  acknowledged = 0;
  /** The highest acknowledged resourceVersion. */
  revision = 0;
  readonly violations: string[] = [];
  /** Messages of refused writes, by status. */
  readonly refusals = new Map<string, number>();
  readonly #api: ClusterApi;
  readonly #path: string;
  readonly #prefix: string;
  readonly #random: Random;
  readonly #states = new Map<string, State>();

  constructor(api: ClusterApi, path: string, prefix: string, random: Random) {
    this.#api = api;
    this.#path = path;
    this.#prefix = prefix;
    this.#random = random;
  }

  /** Names of the objects that must exist. */
  get expected(): ReadonlyMap<string, State> {
    return this.#states;
  }

  async run(signal: AbortSignal, pause: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const name = `${this.#prefix}-${randomInt(this.#random, 8)}`;
      await this.#step(name, signal);
      await pause();
    }
  }

  async #step(name: string, signal: AbortSignal): Promise<void> {
    const before = this.#states.get(name) ?? "absent";
    const operation = this.#draw(name, before);
    const answer = await this.#send(operation);
    if (answer && answer.status < 300) {
      this.acknowledged++;
      this.#observe(name, answer, operation);
      this.#states.set(name, operation.after);
      return;
    }
    if (answer && answer.status !== 429 && answer.status < 500) {
      const was = JSON.stringify(before);
      this.violations.push(
        `${operation.method} ${name}, which was ${was}: ${answer.status} ${answer.object.message}`,
      );
    }
    await this.#resolve(name, before, operation, signal);
  }

  /** Reads an object after a write without a clear result. */
  async #resolve(name: string, before: State, operation: Operation, signal: AbortSignal) {
    const path = `${this.#path}/${name}`;
    for (;;) {
      const read = await this.#send({ method: "GET", path, after: before });
      if (read && (read.status === 200 || read.status === 404)) {
        const found = stateOf(read);
        const allowed = [before, operation.after].map((state) => JSON.stringify(state));
        if (!allowed.includes(JSON.stringify(found))) {
          this.violations.push(
            `${name} is ${JSON.stringify(found)}, allowed: ${allowed.join(" or ")}`,
          );
        }
        this.#states.set(name, found);
        return;
      }
      if (signal.aborted) {
        this.#states.delete(name);
        return;
      }
      await nextTurn();
    }
  }

  #observe(name: string, { object }: Answer, { method, after }: Operation): void {
    const revision = Number(object.metadata.resourceVersion ?? 0);
    // A delete without finalizers returns a Status, or the object as it was.
    if (after !== "absent" && revision <= this.revision) {
      this.violations.push(
        `${method} ${name}: resourceVersion ${revision} after ${this.revision} was acknowledged`,
      );
    }
    this.revision = Math.max(this.revision, revision);
  }

  async #send(operation: Operation): Promise<Answer | undefined> {
    try {
      const { method, path, body } = operation;
      const answer = await this.#api.send(method, path, body);
      if (answer.status >= 429 && method !== "GET") {
        const refusal = `${answer.status} ${answer.object.message}`;
        this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
      }
      return answer;
    } catch {
      return undefined;
    }
  }

  #draw(name: string, state: State): Operation {
    const path = `${this.#path}/${name}`;
    if (state === "absent") {
      const kept = this.#random() < 0.3;
      const metadata = { name, ...(kept ? { finalizers: [finalizer] } : {}) };
      const body = { metadata, data: { n: "1" } };
      return { method: "POST", path: this.#path, body, after: { n: 1, kept, deleted: false } };
    }
    const drawn = this.#random();
    if (drawn < 0.7) {
      const n = state.n + 1;
      // Different sizes, so that groups and checkpoints differ.
      const filling = "x".repeat(randomInt(this.#random, 3000));
      const body = { data: { n: String(n), filling } };
      return { method: "PATCH", path, body, after: { ...state, n } };
    }
    if (!state.deleted) {
      return { method: "DELETE", path, after: state.kept ? { ...state, deleted: true } : "absent" };
    }
    return { method: "PATCH", path, body: { metadata: { finalizers: null } }, after: "absent" };
  }
}

/** The state of an object in a response. */
function stateOf({ status, object }: Answer): State {
  return status === 404 ? "absent" : stateOfObject(object);
}

export function stateOfObject({ metadata, data }: ApiObject): State {
  return {
    n: Number(data?.["n"]),
    kept: metadata.finalizers?.includes(finalizer) ?? false,
    deleted: metadata.deletionTimestamp !== undefined,
  };
}
