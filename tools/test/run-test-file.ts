import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReportedEvent } from "./file-result.ts";
import { type FileResult, toFileResult } from "./file-result.ts";
import { endLeftovers } from "./leftovers.ts";
import { type RunFolder, removeFolder } from "./run-folder.ts";
import { temporaryFolder, testEnvironment } from "./test-environment.ts";

/** Limit of one file (ms): the longest takes a minute on a quiet machine of two cores. */
const fileLimitMs = 15 * 60_000;
/** Limit of the kept output of a file (characters). */
const outputLimit = 4000;

/**
 * Files that run in a network of their own, with loopback only: a browser drops all its connections whenever an interface
 * of its machine appears, and other tests make many.
 */
const ownNetwork = /^test\/console\//;
const enterOwnNetwork = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"'];

const reporter = join(import.meta.dirname, "event-reporter.ts");

export interface FileRun {
  /** Path below the root of the project. */
  readonly file: string;
  readonly root: string;
  readonly runFolder: RunFolder;
  readonly seed?: number | undefined;
  readonly name?: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs one test file in a process, an environment and a folder of its own, all of which end with it. */
export async function runTestFile(run: FileRun): Promise<FileResult> {
  const folder = run.runFolder.createFileFolder();
  const events = join(folder, "events");
  try {
    const end = await runProcess(run, folder, events);
    const leftovers = await endLeftovers(temporaryFolder(folder));
    const result = toFileResult(run.file, readEvents(events), { ...end, leftovers });
    return { ...result, seed: run.seed };
  } finally {
    removeFolder(folder);
  }
}

function nodeArguments({ file, seed, name }: FileRun, events: string): string[] {
  return [
    "--disable-warning=ExperimentalWarning",
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${events}`,
    ...(seed === undefined ? [] : ["--test-randomize", `--test-random-seed=${seed}`]),
    ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
    file,
  ];
}

interface HowEnded {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
}

function runProcess(run: FileRun, folder: string, events: string): Promise<HowEnded> {
  const compileCache = join(run.root, "node_modules/.cache/k8ts");
  const nodeFolder = dirname(process.execPath);
  const enter = ownNetwork.test(run.file) && process.getuid?.() === 0 ? enterOwnNetwork : [];
  const [program = "", ...words] = [...enter, process.execPath, ...nodeArguments(run, events)];
  const child = spawn(program, words, {
    cwd: run.root,
    env: testEnvironment({ folder, nodeFolder, compileCache }, process.env),
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, which is ended as a whole.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-outputLimit);
    });
  }
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All processes of the group have ended.
    }
  };
  const limit = setTimeout(kill, fileLimitMs);
  run.signal.addEventListener("abort", kill);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // Not "close": a process that was left behind may keep the pipes open.
    child.once("exit", (code, signal) => {
      clearTimeout(limit);
      run.signal.removeEventListener("abort", kill);
      setImmediate(() => resolve({ code, signal, output }));
    });
  });
}

function readEvents(path: string): ReportedEvent[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  // The last line of a process that was killed may be cut off.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as ReportedEvent);
}
