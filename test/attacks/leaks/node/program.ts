import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import type { TlsServer } from "#/testing/start-tls-server.ts";
import { until } from "#/testing/until.ts";
import { findTexts } from "./heap-texts.ts";

/** Texts that may be kept: those of the last event of each watch, and the input of the last regular expression. */
const maxKept = 6;
/** Limit of the time (ms) until a program has forgotten: its own periods are up to a minute. */
const patienceMs = 90_000;

/** A program of a node in a process of its own, whose memory can be searched. */
export class Program implements AsyncDisposable {
  readonly directory: string;
  readonly #child: ChildProcess;
  #output = "";

  /** Starts a file of `bin`; `enter` is a command that runs another, such as nsenter. */
  constructor(name: string, args: readonly string[], enter: readonly string[] = []) {
    this.directory = mkdtempSync(join(tmpdir(), `leaks-${name}-`));
    const file = join(import.meta.dirname, `../../../../bin/${name}.ts`);
    const memory = ["--heapsnapshot-signal=SIGUSR2", `--diagnostic-dir=${this.directory}`];
    const command = [...enter, process.execPath, ...memory, file, ...args];
    this.#child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    }
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Number of open files and sockets. */
  openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Number of child processes. */
  children(): number {
    const path = `/proc/${this.pid}/task/${this.pid}/children`;
    return readFileSync(path, "utf8").trim().split(/\s+/).filter(Boolean).length;
  }

  /** Texts in its memory that match, with the objects that hold them. */
  async findTexts(pattern: RegExp): Promise<Map<string, string>> {
    this.#child.kill("SIGUSR2");
    const file = await until("the snapshot is complete", () => this.#snapshotFile());
    try {
      return await findTexts(file, pattern);
    } finally {
      await rm(file);
    }
  }

  /**
   * Waits until its memory has no text that matches but a few; fails with the objects that hold them. The program is
   * used meanwhile.
   */
  async untilForgotten(pattern: RegExp, use?: () => Promise<void>): Promise<void> {
    const endMs = systemClock.monotonicMs() + patienceMs;
    for (;;) {
      await use?.();
      const kept = await this.findTexts(pattern);
      if (kept.size <= maxKept) return;
      if (systemClock.monotonicMs() < endMs) continue;
      throw new Error([...kept].map(([text, path]) => `${text}: ${path}`).join("\n"));
    }
  }

  /** The process writes it in one turn, and its last bytes close the list of strings. */
  #snapshotFile(): string | undefined {
    const name = readdirSync(this.directory).find((file) => file.endsWith(".heapsnapshot"));
    if (name === undefined) return undefined;
    const path = join(this.directory, name);
    return readFileSync(path).subarray(-3).toString().trim().endsWith("]}") ? path : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await exited;
    }
    await rm(this.directory, { recursive: true });
  }
}

/** Writes a kubeconfig of the administrator. */
export async function writeKubeconfig(
  path: string,
  { authority, url }: Pick<TlsServer, "authority" | "url">,
): Promise<void> {
  const named = { cluster: "c", user: "u" };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: url, "certificate-authority": authority.caFile } }],
    users: [{ name: "u", user: { token: "admintoken" } }],
    contexts: [{ name: "x", context: named }],
    "current-context": "x",
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
}
