import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type ClusterPaths, clusterPaths } from "#/cluster/base/paths.ts";
import type { ClusterSettings } from "#/cluster/base/settings.ts";
import { traverseOnly } from "#/cluster/base/write-file.ts";
import { ensureCgroup, nodeCgroup } from "#/cluster/machine/node-cgroup.ts";
import {
  killMonitors,
  killStrays,
  removeCgroups,
  unmountAll,
} from "#/cluster/machine/node-cleanup.ts";
import { ensurePauseImage } from "#/cluster/runtimes/ensure-pause-image.ts";
import { getRuntime } from "#/cluster/runtimes/index.ts";
import { endpointOf, startFiles, writeRuntimeFiles } from "#/cluster/runtimes/own-runtime.ts";
import { pauseImageName } from "#/cluster/runtimes/pause-image.ts";
import type { ImageStore, RuntimeProgram } from "#/cluster/runtimes/runtime.ts";
import { imagesOf } from "#/cluster/runtimes/user-runtime.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { endContainers } from "./end-containers.ts";
import { until } from "./until.ts";

/** Limit of the start of a program (ms). */
const startMs = 30_000;

/** Which runtime a test starts. */
export interface RuntimeChoice {
  /** As for --runtime. */
  readonly name: string;
  /** As for --runtime-dir. */
  readonly folder?: string | undefined;
}

interface RuntimeOptions {
  /** Files with settings of registries, which are written before the start. */
  readonly registries?: Readonly<Record<string, string>>;
  /** As for --registry-mirror. */
  readonly mirrors?: readonly string[];
  /** The size of a file system (bytes) of its own for all its files. */
  readonly diskBytes?: number;
}

/** A runtime of `k8ts up` in a temporary directory, with a pause image and without a pod network: pods need hostNetwork. */
export class TestRuntime implements AsyncDisposable {
  readonly directory: string;
  readonly paths: ClusterPaths;
  /** Waits forever when run without a command. */
  readonly image = pauseImageName;
  readonly #programs = new Map<string, ChildProcess>();
  #settings: ClusterSettings;

  private constructor(directory: string, { name, folder }: RuntimeChoice) {
    this.directory = directory;
    this.paths = clusterPaths(directory);
    const cluster = basename(directory).toLowerCase();
    const wanted = { name: cluster, nodeName: "node-1", runtime: name, runtimeFolder: folder };
    this.#settings = wanted as ClusterSettings;
  }

  static async start(
    choice: RuntimeChoice,
    { registries = {}, mirrors = [], diskBytes = 0 }: RuntimeOptions = {},
  ): Promise<TestRuntime> {
    const runtime = new TestRuntime(await mkdtemp(join(tmpdir(), "k8ts-rt-")), choice);
    const { directory } = runtime;
    runtime.#settings = { ...runtime.#settings, registryMirrors: mirrors };
    try {
      if (diskBytes > 0) {
        await runProgram("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", directory]);
      }
      await chmod(directory, traverseOnly);
      for (const [file, text] of Object.entries(registries)) {
        const path = join(runtime.paths.config, "registries", file);
        await mkdir(join(path, ".."), { recursive: true });
        await writeFile(path, text);
      }
      await mkdir(runtime.paths.run, { recursive: true });
      await ensureCgroup(nodeCgroup(runtime.#settings));
      await runtime.startPrograms();
      await ensurePauseImage(runtime.paths, await runtime.images());
      return runtime;
    } catch (error) {
      await runtime[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** `unix:///…`. */
  get endpoint(): string {
    return endpointOf(this.paths, this.#settings);
  }

  /** The parent cgroup of sandboxes. */
  get cgroupParent(): string {
    const { driver, folder } = nodeCgroup(this.#settings);
    return driver === "systemd" ? folder : `/${folder}`;
  }

  images(): Promise<ImageStore> {
    return imagesOf(this.paths, this.#settings);
  }

  /** Starts the programs, from another folder if one is given, and waits until they listen. */
  async startPrograms(folder?: string): Promise<void> {
    if (folder) this.#settings = { ...this.#settings, runtimeFolder: folder };
    await writeRuntimeFiles(this.paths, this.#settings);
    for (const program of getRuntime(this.#settings.runtime).programs) await this.#launch(program);
  }

  /** Sends a signal to the program that serves CRI, or to the one of that name. */
  signal(signal: NodeJS.Signals, name?: string): void {
    this.#program(name).kill(signal);
  }

  /** Ends all programs; containers keep running. */
  async stopPrograms(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    for (const [name, child] of [...this.#programs].reverse()) {
      this.#programs.delete(name);
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, "exit");
      child.kill("SIGCONT");
      child.kill(signal);
      await exited;
    }
  }

  /** The end of a program's log, for error messages. */
  async lastLines(name: string): Promise<string> {
    const text = await readFile(join(this.directory, `${name}.log`), "utf8").catch(() => "");
    return text.trimEnd().split("\n").slice(-8).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopPrograms("SIGKILL");
    await killMonitors(this.paths, getRuntime(this.#settings.runtime).monitors);
    await killStrays(this.#settings);
    await endContainers(join(this.paths.run, "containerd"));
    await unmountAll(this.paths);
    await runProgram("umount", ["-l", this.directory]).catch(() => undefined);
    await removeCgroups(this.#settings);
    // A kubelet links to its logs from a shared folder.
    const links = ["/var/log/containers", "-lname", `${this.directory}/*`, "-delete"];
    const found = spawn("find", links, { stdio: "ignore" });
    await once(found, "exit");
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #program(name?: string): ChildProcess {
    const all = [...this.#programs.entries()];
    const found = name === undefined ? all.at(-1)?.[1] : this.#programs.get(name);
    if (!found) throw new Error(`the program ${name ?? ""} does not run`);
    return found;
  }

  async #launch(program: RuntimeProgram): Promise<void> {
    await using log = await open(join(this.directory, `${program.name}.log`), "a");
    const stdio = ["ignore", log.fd, log.fd] as const;
    const [script = ""] = startFiles(this.paths, program);
    const child = spawn("sh", [script], { stdio: [...stdio] });
    this.#programs.set(program.name, child);
    const socket = program.socket(this.paths);
    const listens = async () => {
      if (child.exitCode !== null) throw new Error(`${program.name} has ended`);
      return await accepts(socket);
    };
    await until(`${program.name} listens`, listens, { limitMs: startMs }).catch(async (error) => {
      throw new Error(`${error.message}: ${await this.lastLines(program.name)}`);
    });
  }
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
