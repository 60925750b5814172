import type { ApiRequest } from "#/client/transport/transport.ts";
import { forbidden, internalError } from "#/machinery/meta/status-error.ts";
import type { FakeClock } from "#/testing/fake-clock.ts";
import type { Dice } from "./dice.ts";
import type { Trace } from "./trace.ts";

/** Resources that may become unlistable: no property depends on a fresh cache of theirs. */
const listed = ["configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims"] as const;

/** Resources whose creation a webhook may refuse. */
const created = ["pods", "replicasets", "jobs", "controllerrevisions"] as const;

/**
 * Greatest difference of the wall clock and the true time (ms): back-offs last until the time of a failure has passed,
 * as upstream's, and the simulation waits 45 minutes for progress.
 */
const maxOffMs = 20 * 60_000;

/** Lasting faults of the server's surroundings, until heal(): components must continue with everything else. */
export class Troubles {
  readonly #dice: Dice;
  readonly #trace: Trace;
  readonly #clock: FakeClock;
  #unlistable: string | undefined;
  #refused: string | undefined;
  /** Difference of the wall clock and the true time (ms). */
  #offMs = 0;

  constructor(dice: Dice, trace: Trace, clock: FakeClock) {
    this.#dice = dice;
    this.#trace = trace;
    this.#clock = clock;
  }

  /** Starts or ends one of them, now and then. */
  act(): void {
    if (!this.#dice.chance(0.15)) return;
    const action = this.#dice.weighted<() => void>([
      [2, () => this.#switchList()],
      [2, () => this.#switchWebhook()],
      [2, () => this.#stepClock()],
    ]);
    action();
  }

  /** Ends all of them; the clock is right again, as back-offs last until the time of a failure has passed. */
  heal(): void {
    this.#unlistable = undefined;
    this.#refused = undefined;
    this.#clock.setWallClock(this.#clock.now() - this.#offMs);
    this.#offMs = 0;
  }

  /** Throws the error of a request that fails. */
  check(component: string, { method, path }: ApiRequest): void {
    const resource = path.slice(path.lastIndexOf("/") + 1);
    if (method === "GET" && resource === this.#unlistable) {
      throw internalError(new Error(`conversion webhook for ${resource} failed`));
    }
    if (method === "POST" && resource === this.#refused && !component.startsWith("node-")) {
      const detail = 'admission webhook "refuse.example.com" denied the request: not today';
      throw forbidden({ name: resource, group: "" }, "", detail);
    }
  }

  #switchList(): void {
    this.#unlistable = this.#unlistable === undefined ? this.#dice.pick(listed) : undefined;
    this.#trace.add("trouble", `cannot be listed: ${this.#unlistable ?? "nothing"}`);
  }

  #switchWebhook(): void {
    this.#refused = this.#refused === undefined ? this.#dice.pick(created) : undefined;
    this.#trace.add("trouble", `a webhook refuses: ${this.#refused ?? "nothing"}`);
  }

  /** Timers do not notice; times in objects do. */
  #stepClock(): void {
    const stepMs = this.#dice.between(-maxOffMs, maxOffMs) - this.#offMs;
    this.#trace.add("trouble", `the wall clock steps by ${stepMs} ms`);
    this.#offMs += stepMs;
    this.#clock.setWallClock(this.#clock.now() + stepMs);
  }
}
