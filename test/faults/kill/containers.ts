import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A running container or sandbox, as the runtime's files and the kernel have it. */
export interface Container {
  readonly id: string;
  readonly pod: string;
  readonly podUid: string;
  readonly isSandbox: boolean;
  readonly pid: number;
  /** Start of its first process, in ticks since boot. */
  readonly startedAt: string;
}

interface Labels {
  readonly pod: string;
  readonly podUid: string;
  readonly isSandbox: boolean;
}

/** The containers of a cluster's node that run, whether or not any of its programs does. */
export class Containers {
  readonly #folder: string;
  readonly #labels = new Map<string, Labels>();

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, "run/containerd/io.containerd.runtime.v2.task/k8s.io");
  }

  running(): Container[] {
    return readdirSync(this.#folder).flatMap((id) => this.#find(id) ?? []);
  }

  #find(id: string): Container | undefined {
    try {
      const labels = this.#labelsOf(id);
      const pid = Number(readFileSync(join(this.#folder, id, "init.pid"), "utf8"));
      const startedAt = startOf(pid);
      return startedAt === undefined ? undefined : { id, pid, startedAt, ...labels };
    } catch (error) {
      // It is being made or removed.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") {
        return undefined;
      }
      throw error;
    }
  }

  #labelsOf(id: string): Labels {
    const known = this.#labels.get(id);
    if (known) return known;
    const { annotations } = JSON.parse(readFileSync(join(this.#folder, id, "config.json"), "utf8"));
    const annotation = (name: string): string => annotations[`io.kubernetes.cri.${name}`];
    const labels = {
      pod: annotation("sandbox-name"),
      podUid: annotation("sandbox-uid"),
      isSandbox: annotation("container-type") === "sandbox",
    };
    this.#labels.set(id, labels);
    return labels;
  }
}

/** Start time of a process, in ticks since boot; undefined if it has ended. */
export function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : rest[18];
  } catch {
    return undefined;
  }
}
