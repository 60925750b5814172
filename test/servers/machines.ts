import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { systemClock } from "#/std/time/clock.ts";
import { k8ts } from "../e2e/machine.ts";
import { startOf } from "../faults/kill/containers.ts";

const run = promisify(execFile);

/** A machine of the cluster: a network namespace with a server or an agent in it. */
export interface Machine {
  readonly name: string;
  readonly role: "server" | "agent";
  readonly folder: string;
  readonly namespace: string;
  readonly nodeName: string;
}

const machineOf = (name: string, role: Machine["role"]): Machine => ({
  name,
  role,
  folder: `/var/lib/k8ts-${name}`,
  namespace: `k8ts-${name}`,
  nodeName: name,
});

/** The kubeconfig of the administrator, at the server itself. */
export const adminFile = ({ folder }: Machine): string => `${folder}/access/admin.kubeconfig`;

const nameFlags = ({ name }: Machine): string[] => ["--name", name, "--node-name", name];

interface Size {
  readonly servers: number;
  readonly agents: number;
  /** Further flags of the first `up`. */
  readonly flags?: readonly string[];
}

/** A cluster of several servers and agents, each in a network namespace of this machine. Disposing of it removes all. */
export class Machines implements AsyncDisposable {
  readonly servers: Machine[] = [];
  readonly agents: Machine[] = [];
  /** How long it took until all servers were ready (ms). */
  serversMs = 0;
  readonly #prefix: string;

  private constructor(prefix: string) {
    this.#prefix = prefix;
  }

  static async start(prefix: string, { servers, agents, flags = [] }: Size): Promise<Machines> {
    const machines = new Machines(prefix);
    await using starting = new AsyncDisposableStack();
    starting.use(machines);
    const beganMs = systemClock.monotonicMs();
    for (let index = 1; index <= servers; index++) await machines.addServer(index, flags);
    machines.serversMs = Math.round(systemClock.monotonicMs() - beganMs);
    for (let index = 1; index <= agents; index++) await machines.#addAgent(index);
    starting.move();
    return machines;
  }

  /** A cluster that an earlier run has left. */
  static attach(prefix: string, { servers, agents }: Size): Machines {
    const machines = new Machines(prefix);
    for (let index = 1; index <= servers; index++)
      machines.servers.push(machineOf(`${prefix}-s${index}`, "server"));
    for (let index = 1; index <= agents; index++)
      machines.agents.push(machineOf(`${prefix}-a${index}`, "agent"));
    return machines;
  }

  get all(): readonly Machine[] {
    return [...this.servers, ...this.agents];
  }

  get first(): Machine {
    const [first] = this.servers;
    if (!first) throw new Error("there is no server");
    return first;
  }

  /** Makes a server, the first one or one that joins. */
  async addServer(index: number, flags: readonly string[] = []): Promise<Machine> {
    const machine = machineOf(`${this.#prefix}-s${index}`, "server");
    const [first] = this.servers;
    this.servers.push(machine);
    const kubeconfig = `/run/${machine.name}.kubeconfig`;
    const own = [...nameFlags(machine), "--kubeconfig", kubeconfig];
    if (first) await this.#join(first, ["token", "create", "--server"], own);
    else await k8ts("up", "--etcd", ...own, ...flags);
    return machine;
  }

  async #addAgent(index: number): Promise<void> {
    const machine = machineOf(`${this.#prefix}-a${index}`, "agent");
    this.agents.push(machine);
    await this.#join(this.first, ["token", "create"], nameFlags(machine));
  }

  async #join(at: Machine, token: readonly string[], own: readonly string[]): Promise<void> {
    const printed = await k8ts(...token, "--name", at.name);
    const words = /k8ts (join .*)$/m.exec(printed)?.[1]?.split(" ") ?? [];
    await k8ts(...words.filter(Boolean), ...own);
  }

  /** Runs kubectl at a server. */
  kubectl(at: Machine, ...args: string[]): Promise<string> {
    return k8ts("kubectl", `--kubeconfig=${adminFile(at)}`, ...args);
  }

  /** Takes a machine away for good. */
  async remove(machine: Machine): Promise<string> {
    for (const list of [this.servers, this.agents]) {
      const index = list.indexOf(machine);
      if (index >= 0) list.splice(index, 1);
    }
    return await k8ts("down", "--purge", "--name", machine.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Servers that are removed need the others.
    for (const machine of this.all) await mend(machine);
    for (const machine of [...this.agents, ...this.servers.toReversed()]) {
      await this.remove(machine);
    }
  }
}

type Program = "server" | "etcd" | "agent";

/** The process of a program; undefined while it does not run. */
export function pidOf({ folder }: Machine, program: Program): number | undefined {
  const file = `${folder}/run/${program}.pid`;
  if (!existsSync(file)) return undefined;
  const [pid = "", started = ""] = readFileSync(file, "utf8").trim().split(/\s+/);
  return started !== "" && startOf(Number(pid)) === started ? Number(pid) : undefined;
}

/** Sends a signal to a program, unless it does not run at the moment. */
export function signal(machine: Machine, program: Program, name: NodeJS.Signals): void {
  const pid = pidOf(machine, program);
  if (pid !== undefined) process.kill(pid, name);
}

/** Drops what leaves a machine, what arrives there, or both. */
export async function cut(machine: Machine, directions: readonly ("in" | "out")[]): Promise<void> {
  const hook = { in: "prerouting priority -500", out: "postrouting priority 500" };
  const rules = directions.map(
    (direction) =>
      `table inet k8ts_test { chain ${direction} { type filter hook ${hook[direction]}; ${direction === "in" ? "iif" : "oif"} eth0 drop; }; }`,
  );
  await nft(machine, rules.join("\n"));
}

/** Ends the cut of a machine's network, and lets its programs go on. */
export async function mend(machine: Machine): Promise<void> {
  for (const program of ["server", "etcd", "agent"] as const) signal(machine, program, "SIGCONT");
  if (!existsSync(`/run/netns/${machine.namespace}`)) return;
  await nft(machine, "table inet k8ts_test\ndelete table inet k8ts_test");
}

async function nft({ namespace }: Machine, input: string): Promise<void> {
  const child = spawn("nsenter", [`--net=/run/netns/${namespace}`, "nft", "-f", "-"], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  child.stdin.end(`${input}\n`);
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`nft has ended with ${code}: ${input}`);
}

/** The server whose log says last that it leads the controllers. */
export async function leader(machines: Machines): Promise<Machine | undefined> {
  const took = machines.servers.map((machine) => {
    const log = readFileSync(`${machine.folder}/log/server.log`, "utf8");
    const lines = log.split("\n").filter((line) => acquired.test(line));
    // The start of a line: I1119 19:37:46.192000.
    return { machine, at: lines.at(-1)?.slice(1, 21) ?? "" };
  });
  return took.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]?.machine;
}

const acquired = /successfully acquired lease.*kube-controller-manager/;

/** The memory of a program that only it uses, and its share of what it shares (MiB). */
export async function memoryMiB(pid: number): Promise<number> {
  const { stdout } = await run("cat", [`/proc/${pid}/smaps_rollup`]);
  return Math.round(Number(/^Pss:\s+(\d+) kB$/m.exec(stdout)?.[1] ?? 0) / 1024);
}
