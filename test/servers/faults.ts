import { type Random, randomInt } from "#/std/base/random.ts";
import { cut, type Machine, mend, signal } from "./machines.ts";

/** What can happen to a server, and for how long it lasts if it does not end by itself. */
export interface Fault {
  readonly name: string;
  readonly strike: (machine: Machine) => Promise<void>;
  /** Undoes it; a program that was killed is started again by its supervisor. */
  readonly mend: (machine: Machine) => Promise<void>;
}

const killed = (program: "server" | "etcd"): Fault => ({
  name: `kill ${program}`,
  strike: async (machine) => signal(machine, program, "SIGKILL"),
  mend: async () => undefined,
});

const stopped = (program: "server" | "etcd"): Fault => ({
  name: `stop ${program}`,
  strike: async (machine) => signal(machine, program, "SIGSTOP"),
  mend,
});

const isolated = (name: string, directions: readonly ("in" | "out")[]): Fault => ({
  name,
  strike: (machine) => cut(machine, directions),
  mend,
});

export const faults: readonly Fault[] = [
  killed("server"),
  killed("etcd"),
  {
    name: "kill server and etcd",
    strike: async (machine) => {
      for (const program of ["server", "etcd"] as const) signal(machine, program, "SIGKILL");
    },
    mend: async () => undefined,
  },
  stopped("server"),
  stopped("etcd"),
  isolated("cut network", ["in", "out"]),
  isolated("cut what arrives", ["in"]),
  isolated("cut what leaves", ["out"]),
];

/** A fault at a server: the one that leads, or any. */
export interface Strike {
  readonly fault: Fault;
  /** A number by which the server is chosen; undefined for the one that leads. */
  readonly server: number | undefined;
  readonly lastsMs: number;
}

/** Shortest and longest time of a fault (ms). */
export type FaultTimes = readonly [number, number];

/** Each fault once, in an order, at servers and for times that depend on the seed. */
export function planRound(
  random: Random,
  names: readonly string[],
  [shortestMs, longestMs]: FaultTimes,
): Strike[] {
  const all = faults.filter(({ name }) => names.length === 0 || names.includes(name));
  const planned = all.map((fault) => ({
    order: random(),
    fault,
    server: random() < 0.5 ? undefined : randomInt(random, 1000),
    lastsMs: shortestMs + randomInt(random, longestMs - shortestMs),
  }));
  return planned.toSorted((a, b) => a.order - b.order);
}
