import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { aborted } from "#/std/async/aborted.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { writeWhole } from "../base/write-file.ts";
import { podSlice } from "../machine/slices.ts";
import { parseProperties, systemctl, systemdRelease, unitFolder } from "../machine/systemd.ts";
import { launcherOf } from "../release/versions.ts";
import { knownProcesses, stopProcess } from "./processes.ts";
import { programNames } from "./program-names.ts";
import type { Program, ProgramLog, ProgramState, Supervisor } from "./supervisor.ts";
import {
  cleanedFile,
  mainUnit,
  preparedFile,
  programUnit,
  type UnitFile,
  unitFiles,
} from "./systemd-units.ts";

const limitsFolder = "/run/systemd/system.control";

/** Runs the programs as systemd services, with their output in the journal. */
export class SystemdSupervisor implements Supervisor {
  readonly startsAtBoot = true;
  readonly #paths: ClusterPaths;
  readonly #cluster: string;

  constructor(paths: ClusterPaths, cluster: string) {
    this.#paths = paths;
    this.#cluster = cluster;
  }

  async install(programs: readonly Program[]): Promise<void> {
    // Processes of a supervising script, from before systemd managed them.
    for (const name of knownProcesses(this.#paths)) await stopProcess(this.#paths, name);
    const release = systemdRelease(await systemctl("--version"));
    const [paths, cluster] = [this.#paths, this.#cluster];
    const launcher = launcherOf(paths);
    const changed = await writeUnits(unitFiles({ paths, cluster, launcher, programs, release }));
    if (changed) await systemctl("daemon-reload");
    await systemctl("enable", "--quiet", mainUnit(this.#cluster));
  }

  async start({ name }: Program): Promise<void> {
    if (!(await isActive(mainUnit(this.#cluster)))) {
      await writeWhole(preparedFile(this.#cluster), "");
      await rm(cleanedFile(this.#cluster), { force: true });
      await systemctl("start", mainUnit(this.#cluster), "--no-block");
    }
    await systemctl("start", this.#unit(name), this.#unit("pods"), "--no-block");
  }

  async restart({ name }: Program): Promise<void> {
    await systemctl("restart", this.#unit(name));
  }

  async stop(name: string): Promise<void> {
    if (existsSync(join(unitFolder, this.#unit(name)))) await systemctl("stop", this.#unit(name));
  }

  async stopAll(): Promise<void> {
    if (!existsSync(join(unitFolder, mainUnit(this.#cluster)))) return;
    await writeWhole(cleanedFile(this.#cluster), "");
    // A unit that was started on its own doesn't stop with the main unit if that isn't active.
    const units = [...programNames, "pods"].map((name) => this.#unit(name));
    const there = units.filter((unit) => existsSync(join(unitFolder, unit)));
    await systemctl("stop", mainUnit(this.#cluster), ...there);
    for (const file of [cleanedFile(this.#cluster), preparedFile(this.#cluster)]) {
      await rm(file, { force: true });
    }
  }

  async state(name: string): Promise<ProgramState> {
    const wanted = "--property=MainPID,NRestarts,ExecMainCode,ExecMainStatus";
    const shown = parseProperties(await systemctl("show", this.#unit(name), wanted));
    const { MainPID = "0", NRestarts = "0", ExecMainCode = "0", ExecMainStatus = "" } = shown;
    // The codes are those of waitid(2): 1 for an exit, others for a signal.
    const how = ExecMainCode === "1" ? "code" : "signal";
    return {
      pid: MainPID === "0" ? undefined : Number(MainPID),
      ends: Number(NRestarts),
      lastEnd: ExecMainCode === "0" ? "" : `${how} ${ExecMainStatus}`,
    };
  }

  mayHaveLeft(): boolean {
    return false;
  }

  async disable(): Promise<void> {
    const unit = mainUnit(this.#cluster);
    if (existsSync(join(unitFolder, unit))) await systemctl("disable", "--quiet", unit);
  }

  async uninstall(): Promise<void> {
    const { files, units } = this.#allUnits();
    await systemctl("stop", ...units).catch(() => undefined);
    for (const file of files) {
      await rm(join(unitFolder, file), { force: true });
      if (file.includes("/")) await rmdir(join(unitFolder, dirname(file))).catch(() => undefined);
    }
    await this.#removeLimits();
    await systemctl("daemon-reload");
    // Failed units are listed until they are reset.
    await systemctl("reset-failed", ...units).catch(() => undefined);
  }

  /** Properties that the kubelet has set for slices until the machine restarts. */
  async #removeLimits(): Promise<void> {
    const slice = new RegExp(`^${podSlice(this.#cluster)}(-.*)?\\.slice\\.d$`);
    for (const name of await readdir(limitsFolder).catch(() => [])) {
      if (slice.test(name)) await rm(join(limitsFolder, name), { recursive: true });
    }
  }

  /** All programs of the cluster, and all slices of its Pods. */
  #allUnits(): { readonly files: readonly string[]; readonly units: readonly string[] } {
    const [paths, cluster] = [this.#paths, this.#cluster];
    const programs = programNames.map((name) => ({ name, command: [name] }));
    const launcher = launcherOf(paths);
    const all = unitFiles({ paths, cluster, launcher, programs, release: 0 });
    const files = all.map(({ name }) => name);
    return { files, units: files.filter((file) => !file.includes("/")) };
  }

  async logs(): Promise<readonly string[]> {
    return programNames.filter((name) => existsSync(join(unitFolder, this.#unit(name))));
  }

  async openLog(name: string): Promise<ProgramLog> {
    const own = `_SYSTEMD_UNIT=${this.#unit(name)}`;
    const shown = await Array.fromAsync(journal(own, "--lines=1", "--show-cursor"));
    const cursor = shown.map((line) => /^-- cursor: (.+)$/.exec(line)?.[1]).find(Boolean);
    // An empty log has no cursor.
    const [from, after] = cursor
      ? [[`--cursor=${cursor}`], [`--after-cursor=${cursor}`]]
      : [[], []];
    return {
      backward: () => (cursor ? journal(own, "--reverse", ...from) : journal(own, "--lines=0")),
      follow: () => journal(own, "--lines=all", "--follow", ...after),
    };
  }

  /** Nothing to repair: systemd itself doesn't end. */
  async keep(_programs: () => readonly Program[], signal: AbortSignal): Promise<void> {
    await aborted(signal);
  }

  #unit(program: string): string {
    return programUnit(this.#cluster, program);
  }
}

/** The output of journalctl, line by line, until it ends or the reader stops. */
async function* journal(...args: string[]): AsyncGenerator<string> {
  const all = ["--quiet", "--no-pager", "--output=cat", ...args];
  const child = spawn("journalctl", all, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    yield* createInterface(child.stdout);
  } finally {
    child.kill();
  }
}

const isActive = (unit: string): Promise<boolean> =>
  systemctl("is-active", "--quiet", unit).then(
    () => true,
    () => false,
  );

/** Writes units that differ from the existing ones; returns whether there were any. */
async function writeUnits(units: readonly UnitFile[]): Promise<boolean> {
  let changed = false;
  for (const { name, text } of units) {
    const file = join(unitFolder, name);
    if ((await readFile(file, "utf8").catch(() => undefined)) === text) continue;
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeWhole(file, text, 0o644);
    changed = true;
  }
  return changed;
}
