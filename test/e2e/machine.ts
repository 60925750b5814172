import { execFile, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ociArchive } from "#/std/archive/oci-image.ts";

const run = promisify(execFile);
/** The command k8ts of this tree. */
export const launcher = fileURLToPath(new URL("../../k8ts", import.meta.url));

/** Runs k8ts as a user does; throws with its output. */
export async function k8ts(...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(launcher, args, { timeout: 120_000 });
  return stdout + stderr;
}

/** A k8ts that runs in the background: its output so far, how it ended, and a way to interrupt it as Ctrl-C does. */
export interface RunningK8ts {
  /** Its output, once that contains a text. */
  said(what: RegExp): Promise<RegExpMatchArray>;
  /** Sends a line to its standard input, which stays open. */
  type(line: string): void;
  interrupt(): void;
  /** Its exit code, or the signal that has ended it. */
  readonly end: Promise<number | string | null>;
}

/** Starts k8ts and leaves it running. */
export function startK8ts(...args: string[]): RunningK8ts {
  const child = spawn(launcher, args, { stdio: "pipe", detached: true });
  let text = "";
  const more = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      more.emit("more");
    });
  }
  const end = new Promise<number | string | null>((resolve) => {
    child.once("close", (code, signal) => {
      resolve(signal ?? code);
      more.emit("more");
    });
  });
  return {
    end,
    type: (line) => void child.stdin.write(`${line}\n`),
    interrupt: () => void process.kill(-(child.pid ?? 0), "SIGINT"),
    async said(what) {
      for (;;) {
        const found = what.exec(text);
        if (found) return found;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`it ended without saying ${what}: ${text}`);
        await once(more, "more");
      }
    },
  };
}

/** Runs any program to its end. */
export async function program(file: string, ...args: string[]): Promise<string> {
  return (await run(file, args, { timeout: 30_000 })).stdout;
}

/** Gets `/name` from a port, as seen from this machine or from a network namespace of it. */
export async function askName(host: string, port: number, namespace?: string): Promise<string> {
  const url = `http://${host}:${port}/name`;
  const script = `fetch("${url}", { signal: AbortSignal.timeout(5000) }).then((answer) => answer.text()).then(console.log)`;
  const enter = namespace === undefined ? [] : ["nsenter", `--net=/run/netns/${namespace}`];
  const [file = "", ...args] = [...enter, process.execPath, "-e", script];
  return await program(file, ...args);
}

/** Gets `/name` from within a container of that image: its netcat, as the wget of Debian's busybox crashes. */
export function askNameCommand(host: string): string[] {
  const ask = `printf 'GET /name HTTP/1.0\\r\\n\\r\\n' | nc -w 5 ${host} 80`;
  return ["sh", "-c", `for _ in 1 2 3 4 5; do ${ask} && exit; done; exit 1`];
}

/** What askNameCommand() prints when a Pod of the Deployment web answers. */
export const namedAnswer = /^HTTP\/1\.\d 200 .*\r\n\r\nweb-/s;

/** An image with Debian's static busybox: a web server that answers with its pod's name, and the usual commands. */
export function webImage(name: string): Buffer {
  const busybox = readFileSync("/bin/busybox");
  const commands = [
    "sh",
    "httpd",
    "nc",
    "nslookup",
    "hostname",
    "sleep",
    "cat",
    "kill",
    "echo",
    "mkdir",
    "tar",
    "test",
    "stty",
  ];
  return ociArchive({
    name,
    architecture: process.arch,
    files: [
      { name: "bin" },
      { name: "bin/busybox", content: busybox, mode: 0o755 },
      ...commands.map((command) => ({ name: `bin/${command}`, linkTo: "busybox" })),
      { name: "tmp", mode: 0o1777 },
    ],
    entrypoint: [
      "/bin/sh",
      "-c",
      // The first process of a container ignores a signal that it has no handler for: httpd alone would take the whole grace period.
      "trap exit TERM; mkdir /tmp/www && hostname > /tmp/www/name && httpd -f -p 80 -h /tmp/www & wait",
    ],
  });
}

/** The remains of a cluster on this machine, outside of its folder: none should exist after `down --purge`. */
export async function traces(name: string): Promise<string[]> {
  const found: string[] = [];
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  found.push(
    ...mounts.filter((line) => line.includes(`/k8ts-${name}/`)).map((line) => `mount ${line}`),
  );
  const namespaces = await program("ip", "netns");
  found.push(...namespaces.split("\n").filter((line) => line.startsWith(`k8ts-${name}`)));
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      if (command.includes(`/var/lib/k8ts-${name}`)) found.push(`process ${pid} ${command}`);
    } catch {
      // It has ended.
    }
  }
  // The folder itself is removed with the last cluster of the machine.
  const logs = ["/var/log/containers"].filter((folder) => existsSync(folder));
  const ours = ["-lname", `/var/lib/k8ts-${name}/*`];
  const links = logs.length === 0 ? "" : await program("find", ...logs, ...ours);
  found.push(...links.split("\n").filter((link) => link !== ""));
  const depth = ["-maxdepth", "2", "-type", "d"];
  const cgroups = await program("find", "/sys/fs/cgroup", ...depth, "-name", `${name}-*`);
  found.push(...cgroups.split("\n").filter((cgroup) => cgroup !== ""));
  const tables = await program("nft", "list", "tables");
  found.push(
    ...tables.split("\n").filter((line) => line.endsWith(`k8ts_${name.replaceAll("-", "_")}`)),
  );
  return found;
}

/** Files of the network namespaces of the pods of a cluster's node, as in its runtime's records. */
export function podNamespaces(name: string): string[] {
  const bundles = `/var/lib/k8ts-${name}/run/containerd/io.containerd.runtime.v2.task/k8s.io`;
  return readdirSync(bundles).flatMap((id) => {
    const config = `${bundles}/${id}/config.json`;
    if (!existsSync(config)) return [];
    const { linux } = JSON.parse(readFileSync(config, "utf8"));
    const found = linux.namespaces.find(({ type }: { type: string }) => type === "network");
    return found?.path?.startsWith("/var/run/netns/") ? [found.path] : [];
  });
}
