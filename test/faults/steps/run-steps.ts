import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { k8ts, launcher } from "../../e2e/machine.ts";
import { ClusterApi } from "../kill/cluster-api.ts";
import { makeOtherVersion } from "./other-version.ts";
import { killEnvironment, maxPoints, type PointKind } from "./points.ts";
import {
  otherVersion,
  type SteppedCommand,
  snapshotFile,
  steppedCommands,
} from "./stepped-commands.ts";

const objects = 60;
const configMaps = "/api/v1/namespaces/default/configmaps";
const secrets = "/api/v1/namespaces/default/secrets";

interface RunOptions {
  /** Only commands that contain this text. */
  readonly only: string;
  /** What points are. */
  readonly kind: PointKind;
  /** The first point, and the distance to the next. */
  readonly from: number;
  readonly every: number;
  report(line: string): void;
}

/** Runs all commands, killed at each point; returns what was lost or not ended. */
export async function runSteps({
  only,
  kind,
  from,
  every,
  report,
}: RunOptions): Promise<readonly string[]> {
  await using cluster = await SteppedCluster.start(kind);
  const violations: string[] = [];
  const chosen = steppedCommands.filter(({ words }) => words.join(" ").includes(only));
  const open = new Map(chosen.map((command) => [command, true]));
  // Point by point, as the migrations take turns.
  for (let count = 0; [...open.values()].includes(true); count++) {
    const point = from + count * every;
    if (point > maxPoints) throw new Error(`a command has more than ${maxPoints} points`);
    for (const command of chosen) {
      const title = `${command.words.join(" ")} killed at ${kind} ${point}`;
      // A command that has no more points still runs, if another one needs it.
      if (!open.get(command) && command.after === undefined) continue;
      try {
        const wasKilled = await cluster.killAt(command, point, count % 2 === 1);
        open.set(command, wasKilled);
        report(wasKilled ? title : `${command.words.join(" ")} has no ${kind} ${point}`);
      } catch (error) {
        violations.push(`${title}: ${(error as Error).message}`);
        report(`VIOLATION ${violations.at(-1)}`);
        return violations;
      }
    }
  }
  return violations;
}

/** What a client knows of an object. */
type Known = Readonly<Record<string, string>>;

class SteppedCluster implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "k8ts-steps-"));
  readonly #name = `steps-${process.pid.toString(36)}`;
  readonly #kubeconfig = join(this.#folder, "kubeconfig");
  readonly #kind: PointKind;

  constructor(kind: PointKind) {
    this.#kind = kind;
  }

  static async start(kind: PointKind): Promise<SteppedCluster> {
    const cluster = new SteppedCluster(kind);
    try {
      makeOtherVersion(join(cluster.#folder, otherVersion));
      // Rotations wait for a node that has joined, and upgrades go on to it.
      await cluster.#k8ts("up", "--nodes=2", "--kubeconfig", cluster.#kubeconfig);
      await cluster.#fill();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Runs a command that is killed at a point, has it ended, and checks everything; false if it has no such point. Alternately
   * all programs are killed, too, and `up` ends it; or they go on, and the same command ends it.
   */
  async killAt(command: SteppedCommand, point: number, goesOn: boolean): Promise<boolean> {
    rmSync(join(this.#folder, snapshotFile), { force: true });
    const before = await this.#read();
    for (const words of command.before ?? []) await this.#k8ts(...words);
    const environment = killEnvironment(this.#kind, point, join(this.#folder, "changes"));
    const { signal, text } = await this.#run(command.words, environment);
    const wasKilled = signal === "SIGKILL";
    if (!wasKilled && signal !== 0) throw new Error(text);
    if (wasKilled && !goesOn) this.#killPrograms();
    if (wasKilled && (goesOn || command.needsItself)) {
      if (!goesOn) await this.#k8ts("up", "--kubeconfig", this.#kubeconfig);
      const { signal: end, text: again } = await this.#run(command.words, {});
      if (end !== 0) throw new Error(`run again: ${again}`);
    }
    await this.#k8ts("up", "--kubeconfig", this.#kubeconfig);
    // A change may be before the first step: then the cluster is as before.
    const isEnded = !wasKilled || goesOn || this.#kind === "step";
    await this.#check(before, command, isEnded);
    for (const words of command.after ?? []) await this.#k8ts(...words);
    return wasKilled;
  }

  async #check(
    before: Known,
    { words, isOffline = false }: SteppedCommand,
    isEnded: boolean,
  ): Promise<void> {
    for (const place of ["", "upgrade", "nodes/2"]) {
      const operation = join(`/var/lib/k8ts-${this.#name}`, place, "operation.json");
      if (existsSync(operation)) throw new Error(`not ended: ${readFileSync(operation, "utf8")}`);
    }
    const after = await this.#read();
    // Rotations write Secrets again: what they contain stays.
    const keepsRevisions = !words.includes("encryption");
    for (const [name, known] of Object.entries(before)) {
      const now = after[name];
      const part = (text: string): string => (keepsRevisions ? text : (text.split(" @")[0] ?? ""));
      if (now === undefined || part(now) !== part(known)) {
        throw new Error(`${name} was ${known}, and is ${now}`);
      }
    }
    await this.#checkWrites(before, isOffline && isEnded);
    await this.#k8ts("certificate", "check");
    await this.#k8ts("status");
  }

  /** A new write has a later revision than all before, and its object can be deleted. */
  async #checkWrites(before: Known, isOffline: boolean): Promise<void> {
    using api = new ClusterApi(this.#kubeconfig);
    const body = { metadata: { name: "probe" }, data: { a: "b" } };
    const { status, object } = await api.send("POST", configMaps, body);
    if (status !== 201) throw new Error(`a write is refused: ${JSON.stringify(object)}`);
    const revisions = Object.values(before).map((text) => Number(text.split(" @")[1]));
    const newest = Math.max(...revisions);
    const revision = Number(object.metadata.resourceVersion);
    if (revision <= newest) throw new Error(`revision ${revision} follows ${newest}`);
    if (isOffline && revision < newest + 1e9) throw new Error("a restore skips no revisions");
    await api.send("DELETE", `${configMaps}/probe`);
  }

  async #fill(): Promise<void> {
    using api = new ClusterApi(this.#kubeconfig);
    for (let index = 0; index < objects; index++) {
      const metadata = { name: `kept-${index}` };
      const data = { value: Buffer.from(`${index}`).toString("base64") };
      for (const path of [configMaps, secrets]) {
        const { status } = await api.send("POST", path, { metadata, data });
        if (status !== 201) throw new Error(`${path} refuses with ${status}`);
      }
    }
  }

  async #read(): Promise<Known> {
    using api = new ClusterApi(this.#kubeconfig);
    const known: Record<string, string> = {};
    for (const path of [configMaps, secrets]) {
      const { object } = await api.send<{ items: readonly Kept[] }>("GET", path);
      for (const { metadata, data } of object.items) {
        if (!metadata.name.startsWith("kept-")) continue;
        const text = `${metadata.uid} ${data?.["value"]} @${metadata.resourceVersion}`;
        known[`${path}/${metadata.name}`] = text;
      }
    }
    if (Object.keys(known).length !== 2 * objects) throw new Error("objects are missing");
    return known;
  }

  /** Kills all programs of the cluster, and those that restart them; containers stay. */
  #killPrograms(): void {
    const folder = `/var/lib/k8ts-${this.#name}`;
    const isOurs = (entry: string): boolean => {
      const words = /^\d+$/.test(entry) ? commandOf(entry) : [];
      const isShim = words.some((word) => word.includes("containerd-shim"));
      return !isShim && words.some((word) => word.startsWith(folder));
    };
    // One that is killed may have started another one before.
    for (;;) {
      const left = readdirSync("/proc").filter(isOurs);
      if (left.length === 0) return;
      for (const entry of left) killIfThere(Number(entry));
    }
  }

  async #k8ts(...words: string[]): Promise<void> {
    await k8ts(...this.#words(words));
  }

  async #run(words: readonly string[], env: Readonly<Record<string, string>>) {
    // A group of its own, which ends as a whole.
    const options = { env: { ...process.env, ...env }, detached: true };
    const child = spawn(launcher, this.#words(words), options);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
    }
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    // The launcher is a shell, which reports the signal of its child as a number.
    return { signal: signal ?? (code === 137 ? "SIGKILL" : code), text };
  }

  #words(words: readonly string[]): string[] {
    const own = words.map((word) => word.replace("FOLDER", this.#folder));
    return [...own, "--name", this.#name];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await k8ts("down", "--purge", "--name", this.#name);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Kept {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly data?: Readonly<Record<string, string>>;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function commandOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // It has ended.
  }
}
