import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ociArchive } from "#/std/oci-image.ts";

const run = promisify(execFile);
const launcher = fileURLToPath(new URL("../../k8ts", import.meta.url));

/** Runs k8ts as a user does; throws with what it said. */
export async function k8ts(...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(launcher, args, { timeout: 120_000 });
  return stdout + stderr;
}

/** Runs any program to its end. */
export async function program(file: string, ...args: string[]): Promise<string> {
  return (await run(file, args, { timeout: 30_000 })).stdout;
}

/** An image with Debian's static busybox: a web server that tells its pod's name, and the usual commands. */
export function webImage(name: string): Buffer {
  const busybox = readFileSync("/bin/busybox");
  const commands = [
    "sh",
    "httpd",
    "wget",
    "nslookup",
    "hostname",
    "sleep",
    "cat",
    "kill",
    "echo",
    "mkdir",
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
      "mkdir /tmp/www && hostname > /tmp/www/name && exec httpd -f -p 80 -h /tmp/www",
    ],
  });
}

/** What there is of a cluster on this machine, outside of its folder: nothing should be after `down --purge`. */
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
  const tables = await program("nft", "list", "tables");
  found.push(
    ...tables.split("\n").filter((line) => line.endsWith(`k8ts_${name.replaceAll("-", "_")}`)),
  );
  return found;
}
