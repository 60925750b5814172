import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pauseImage, pauseImageName } from "#/cluster/runtimes/pause-image.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

/** Why no container can run here; undefined if it can. */
export function containerdProblem(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  return existsSync("/usr/bin/containerd") ? undefined : "needs containerd";
}

/** A containerd of its own, with a pause image and without a pod network: pods need hostNetwork. */
export interface TestContainerd extends AsyncDisposable {
  readonly directory: string;
  /** `unix:///…`. */
  readonly endpoint: string;
  /** Waits forever when run without a command. */
  readonly image: string;
}

const startMs = 20_000;

/** Starts containerd in a temporary directory. */
export async function startContainerd(): Promise<TestContainerd> {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-containerd-"));
  const socket = join(directory, "containerd.sock");
  const config = join(directory, "containerd.toml");
  await mkdir(join(directory, "net.d"));
  await writeFile(config, configuration(directory, socket));
  const child = spawn("/usr/bin/containerd", ["--config", config], { stdio: "ignore" });
  const containerd: TestContainerd = {
    directory,
    endpoint: `unix://${socket}`,
    image: pauseImageName,
    [Symbol.asyncDispose]: () => stop(child, directory),
  };
  try {
    await waitFor(() => run("ctr", ["-a", socket, "version"]));
    const archive = join(directory, "pause.tar");
    await writeFile(archive, pauseImage(process.arch));
    await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", archive]);
    return containerd;
  } catch (error) {
    await containerd[Symbol.asyncDispose]();
    throw error;
  }
}

function configuration(directory: string, socket: string): string {
  return `version = 2
root = "${directory}/root"
state = "${directory}/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImageName}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "${directory}/net.d"
`;
}

/** Retries until an attempt succeeds; fails with the last error. */
async function waitFor(attempt: () => Promise<unknown>): Promise<void> {
  let last: unknown;
  const succeeds = async (): Promise<boolean> => {
    try {
      await attempt();
      return true;
    } catch (error) {
      last = error;
      return false;
    }
  };
  await until("containerd answers", succeeds, { limitMs: startMs }).catch((error: Error) => {
    throw new Error(error.message, { cause: last });
  });
}

/** Ends containerd and its containers, and removes its directory. */
async function stop(child: ChildProcess, directory: string): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
  await endShims(directory);
  await run("sh", [
    "-c",
    `grep -o '${directory}[^ ]*' /proc/self/mounts | sort -r | xargs -r umount -l`,
  ]).catch(() => undefined);
  // A kubelet links to its logs from a shared folder.
  const links = ["/var/log/containers", "-lname", `${directory}/*`, "-delete"];
  await run("find", links).catch(() => undefined);
  await rm(directory, { recursive: true, force: true });
}

/**
 * Shims outlive containerd, and have its socket on their command line; their containers are their
 * children.
 */
async function endShims(directory: string): Promise<void> {
  const { stdout } = await run("ps", ["-eo", "pid,ppid,args"]);
  const rows = stdout.split("\n").map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line));
  const shims = new Set(
    rows.filter((row) => row?.[3]?.includes(`-address ${directory}`)).map((row) => row?.[1]),
  );
  for (const row of rows) {
    const [, pid, parent] = row ?? [];
    if (pid && (shims.has(pid) || shims.has(parent))) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // The process has ended by itself.
      }
    }
  }
}
