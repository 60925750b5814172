import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { k8ts, webImage } from "../../e2e/machine.ts";
import { type ApiList, ClusterApi } from "./cluster-api.ts";
import { startOf } from "./containers.ts";
import { type Program, programs } from "./moments.ts";
import { SmallDisk } from "./small-disk.ts";

const run = promisify(execFile);
/** Size of the disk (MiB): the store and the logs of many moments need a part of it. */
const diskMiB = 300;
/** Limits of a description (count). */
const shownEvents = 20;
const shownLines = 30;
export const image = "k8ts.test/web:1";

/** A cluster of `k8ts up` whose store and state are on a small disk, and whose programs can be killed. */
export class FaultyCluster implements AsyncDisposable {
  readonly name: string;
  readonly dataFolder: string;
  readonly disk: SmallDisk;
  readonly kubeconfig: string;
  readonly #folder: string;

  private constructor(folder: string, name: string) {
    this.#folder = folder;
    this.name = name;
    this.disk = new SmallDisk(folder, diskMiB);
    this.dataFolder = join(this.disk.path, "data");
    this.kubeconfig = join(folder, "kubeconfig");
  }

  static async start(): Promise<FaultyCluster> {
    const name = `kill-${process.pid.toString(36)}`;
    const cluster = new FaultyCluster(mkdtempSync(join(tmpdir(), "k8ts-kill-")), name);
    try {
      cluster.#mountNodeFolders();
      await k8ts("up", ...cluster.#flags, "--kubeconfig", cluster.kubeconfig);
      const archive = join(cluster.#folder, "web.tar");
      writeFileSync(archive, webImage(image));
      await k8ts("image", "load", ...cluster.#flags, archive);
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  api(): ClusterApi {
    return new ClusterApi(this.kubeconfig);
  }

  /** The process of a program; undefined while none is recorded or it has ended. */
  pidOf(program: Program): number | undefined {
    const recorded = readFileSync(join(this.dataFolder, "run", `${program}.pid`), "utf8");
    const [pid = "", started = ""] = recorded.trim().split(/\s+/);
    return started !== "" && startOf(Number(pid)) === started ? Number(pid) : undefined;
  }

  /** Kills a program, unless it is not running at the moment. */
  kill(program: Program): void {
    const pid = this.pidOf(program);
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  }

  /** Pods, events, the space of the disk and the ends of the logs, to find the cause of a violation. */
  async describe(api: ClusterApi): Promise<string> {
    const lines = [await output("df", this.disk.path), await output("du", "-d2", this.dataFolder)];
    for (const resource of ["pods", "events"]) lines.push(await lastOf(api, resource));
    for (const program of programs) {
      const file = join(this.dataFolder, "log", `${program}.log`);
      lines.push(`== ${program}`, await output("tail", "-n", String(shownLines), file));
    }
    return lines.join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disk.free();
    await k8ts("down", "--purge", ...this.#flags);
    this.disk[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Keeps the kubelet's and the runtime's own data off the small disk: the kubelet evicts Pods from a full one. The
   * store, the logs, and the state of programs and containers are on it.
   */
  #mountNodeFolders(): void {
    for (const name of ["kubelet", "containerd"]) {
      const [outside, inside] = [join(this.#folder, name), join(this.dataFolder, name)];
      for (const folder of [outside, inside]) mkdirSync(folder, { recursive: true });
      execFileSync("mount", ["--bind", outside, inside]);
    }
  }

  get #flags(): string[] {
    return ["--name", this.name, "--data-dir", this.dataFolder];
  }
}

/** What a program prints, or its error. */
async function output(program: string, ...args: string[]): Promise<string> {
  try {
    return (await run(program, args)).stdout;
  } catch (error) {
    return String(error);
  }
}

/** The last objects of a resource, or why the server does not list them. */
async function lastOf(api: ClusterApi, resource: string): Promise<string> {
  try {
    const { object } = await api.send<ApiList>("GET", `/api/v1/namespaces/default/${resource}`);
    return object.items
      .slice(-shownEvents)
      .map((item) => JSON.stringify(brief(item)))
      .join("\n");
  } catch (error) {
    return `no ${resource}: ${String(error)}`;
  }
}

/** An object without the parts that are the same for all. */
function brief({ metadata, ...rest }: ApiList["items"][number]): object {
  const { name, uid, deletionTimestamp } = metadata;
  const { spec, ...parts } = rest;
  return { name, uid, deletionTimestamp, ...parts };
}
