/**
 * Writes docs/captures/*.txt: k8ts's output on a terminal of 80 columns. `node tools/capture-terminal.ts [NAME]` as
 * root starts a cluster of that name and removes it; a name of four letters keeps columns, because it is shown as "demo".
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Neutral, neutralText } from "./capture/neutral-text.ts";
import { screenText } from "./capture/screen-text.ts";

const root = join(import.meta.dirname, "..");
const [name = "demo"] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "k8ts-capture-"));
const folder = join(root, "docs/captures");
const neutral: Neutral = { name, home, root, hostname: hostname() };

/** Runs a command line on a terminal, and returns the screen at its end. */
async function onTerminal(line: string): Promise<string> {
  const shell = `stty cols 80 rows 24; exec k8ts ${line}`;
  const path = `${root}:${process.env["PATH"]}`;
  const env = {
    ...process.env,
    PATH: path,
    HOME: home,
    KUBECONFIG: "",
    SUDO_USER: "",
    TERM: "xterm",
    NO_COLOR: "1",
  };
  const asked = promisify(execFile)("script", ["-qec", shell, "/dev/null"], { env });
  const { stdout } = await asked.catch((error: { stdout: string }) => error);
  return stdout;
}

async function capture(file: string, line: string): Promise<void> {
  const shown = neutralText(screenText(await onTerminal(line)), neutral);
  const command = neutralText(line, neutral);
  writeFileSync(join(folder, `${file}.txt`), `$ k8ts ${command}\n${shown}`);
  const long = shown.split("\n").filter((text) => text.length > 80);
  for (const text of long) process.stderr.write(`${file}: over 80 columns: ${text}\n`);
}

/** Another program uses the API server's port, in the cluster's network: the server ends as soon as it is started. */
async function withPortTaken(work: () => Promise<void>): Promise<void> {
  const script = 'require("node:net").createServer().listen(6443, () => console.log("taken"))';
  const enter = `--net=/run/netns/k8ts-${name}`;
  const other = spawn("nsenter", [enter, process.execPath, "-e", script]);
  try {
    await once(other.stdout, "data");
    await work();
  } finally {
    other.kill();
  }
}

mkdirSync(folder, { recursive: true });
try {
  await capture("help", "help");
  await capture("help-up", "help up");
  await capture("up-refused", `up --name ${name} --pod-network-cidr foo`);
  await capture("up", `up --name ${name}`);
  await capture("up-again", `up --name ${name}`);
  await capture("status", `status --name ${name}`);
  const printed = await onTerminal(`token create --name ${name}`);
  const server = /https:\/\/\S+/.exec(printed)?.[0];
  const own = /--ca-hash[ =]\S+/.exec(printed)?.[0];
  const token = "--token abcdef.0123456789abcdef";
  const hash = `--ca-hash sha256:${"0".repeat(64)}`;
  await capture("join-wrong-hash", `join ${server} --name ${name}-b ${token} ${hash}`);
  await capture("join-wrong-token", `join ${server} --name ${name}-b ${token} ${own}`);
  await capture("down", `down --name ${name}`);
  await capture("status-stopped", `status --name ${name}`);
  await withPortTaken(() => capture("up-failed", `up --name ${name}`));
} finally {
  await onTerminal(`down --name ${name}-b --purge`);
  await capture("down-purge", `down --name ${name} --purge`);
  rmSync(home, { recursive: true });
}
