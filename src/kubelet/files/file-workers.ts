import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Clock, systemClock, type Timer } from "#/std/time/clock.ts";
import type { FileTaskName, fileTasks, TaskReport, TaskRequest } from "./file-tasks.ts";

type Input<Name extends FileTaskName> = Parameters<(typeof fileTasks)[Name]>[0];
type Result<Name extends FileTaskName> = ReturnType<(typeof fileTasks)[Name]>;

/** Limit of the time (ms) without a report of a task: a mount that takes longer hangs. */
const reportMs = 30_000;
/** Limit of processes that work at a time: each has a processor's work. */
const maxWorkers = 4;
/** Limit of all processes, with those that wait for slow file systems. */
const maxProcesses = 16;
/** Time (ms) after which a task waits for its file system rather than for a processor. */
const slowMs = 2_000;
/** How long (ms) a process waits for another task: a Pod has several, Pods often start together. */
const idleMs = 5_000;

/** A file system that did not respond in time. */
class HungFilesystemError extends Error {
  override readonly name = "HungFilesystemError";

  constructor(place: string, timeoutMs: number) {
    super(`timed out after ${timeoutMs / 1000}s: the file system of ${place} does not respond`);
  }
}

interface Job {
  readonly request: TaskRequest;
  /** The volume: tasks of one volume run one after the other. */
  readonly place: string;
  isSlow: boolean;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface FileWorkersOptions {
  readonly clock?: Clock;
  readonly timeoutMs?: number;
}

/**
 * Does tasks in processes that are started on demand. A task that hangs is given up, and its process killed. Volumes
 * that hung at their last task share one process, so that the others are not held up by them.
 *
 * The queue has no limit of its own: the limit of a node's Pods bounds it.
 */
export class FileWorkers {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #queue: Job[] = [];
  readonly #busy = new Set<Job>();
  readonly #idle: Worker[] = [];
  /** Places whose last task hung, with its process, which may not end before the file system responds. */
  readonly #hung = new Map<string, Worker>();

  constructor({ clock = systemClock, timeoutMs = reportMs }: FileWorkersOptions = {}) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Does a task on a volume, whose path on the node is `place`. Throws HungFilesystemError if it does not respond. */
  run<Name extends FileTaskName>(
    task: Name,
    input: Input<Name>,
    place: string,
  ): Promise<Result<Name>> {
    return new Promise((resolve, reject) => {
      const done = (result: unknown) => resolve(result as Result<Name>);
      this.#queue.push({ request: { task, input }, place, isSlow: false, resolve: done, reject });
      this.#startNext();
    });
  }

  #startNext(): void {
    for (;;) {
      const index = this.#queue.findIndex((job) => this.#mayStart(job));
      const [job] = index === -1 ? [] : this.#queue.splice(index, 1);
      if (job === undefined) return;
      this.#busy.add(job);
      void this.#work(job);
    }
  }

  #mayStart({ place }: Job): boolean {
    const working = [...this.#busy].filter(({ isSlow }) => !isSlow);
    if (working.length >= maxWorkers || this.#busy.size >= maxProcesses) return false;
    const busy = [...this.#busy].map((job) => job.place);
    if (busy.includes(place)) return false;
    return !this.#hung.has(place) || !busy.some((other) => this.#hung.has(other));
  }

  #takeIdle(): Worker | undefined {
    const worker = this.#idle.pop();
    return worker === undefined || worker.isUsable ? worker : this.#takeIdle();
  }

  async #work(job: Job): Promise<void> {
    if (this.#hung.get(job.place)?.hasEnded === false) {
      // Each attempt would leave another process behind.
      job.reject(new HungFilesystemError(job.place, this.#timeoutMs));
      this.#busy.delete(job);
      return;
    }
    const worker = this.#takeIdle() ?? new Worker(this.#clock);
    using _slow = this.#clock.setTimer(slowMs, () => {
      job.isSlow = true;
      this.#startNext();
    });
    try {
      const result = await worker.run(job, this.#timeoutMs);
      this.#hung.delete(job.place);
      job.resolve(result);
    } catch (error) {
      if (error instanceof HungFilesystemError) this.#hung.set(job.place, worker);
      else this.#hung.delete(job.place);
      job.reject(error as Error);
    }
    this.#busy.delete(job);
    if (worker.isUsable) this.#idle.push(worker);
    worker.endWhenIdle(idleMs);
    this.#startNext();
  }
}

/** A process for tasks, one at a time. */
class Worker {
  readonly #clock: Clock;
  readonly #child: ChildProcessWithoutNullStreams;
  #report: ((report: TaskReport) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;
  #idle: Timer | undefined;
  /** Its first report says that it has started. */
  readonly #started = Promise.withResolvers<void>();
  isUsable = true;
  hasEnded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    const program = fileURLToPath(new URL("./file-worker.ts", import.meta.url));
    const options = ["--disable-warning=ExperimentalWarning", "--v8-pool-size=1"];
    this.#child = spawn(process.execPath, [...options, program], { cwd: "/" });
    const lines = createInterface({ input: this.#child.stdout });
    lines.once("line", () => this.#started.resolve());
    lines.on("line", (line) => this.#report?.(JSON.parse(line) as TaskReport));
    this.#child.stdin.on("error", () => undefined);
    const failed = (why: string) => {
      this.isUsable = false;
      this.hasEnded = true;
      const error = new Error(`the process for file tasks has ended: ${why}`);
      this.#started.reject(error);
      this.#fail?.(error);
    };
    this.#child.on("error", ({ message }) => failed(message));
    this.#child.on("exit", (code, signal) => failed(signal ?? `code ${code}`));
  }

  async run({ request, place }: Job, timeoutMs: number): Promise<unknown> {
    this.#idle?.cancel();
    this.#keepAlive(true);
    await this.#started.promise;
    const { promise, resolve, reject } = Promise.withResolvers<TaskReport>();
    const giveUp = () => {
      this.#end("SIGKILL");
      reject(new HungFilesystemError(place, timeoutMs));
    };
    let deadline = this.#clock.setTimer(timeoutMs, giveUp);
    this.#fail = reject;
    this.#report = (report) => {
      deadline.cancel();
      if (report.done) resolve(report);
      else deadline = this.#clock.setTimer(timeoutMs, giveUp);
    };
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    try {
      const { result, error } = await promise;
      if (error) throw Object.assign(new Error(error.message), error);
      return result;
    } finally {
      deadline.cancel();
      this.#fail = undefined;
      this.#report = undefined;
    }
  }

  endWhenIdle(afterMs: number): void {
    this.#keepAlive(false);
    this.#idle = this.#clock.setTimer(afterMs, () => this.#end(), { keepAlive: false });
  }

  /** A process that hangs in the kernel may not end: it is not waited for. */
  #end(signal?: NodeJS.Signals): void {
    this.isUsable = false;
    this.#child.stdin.end();
    if (signal) this.#child.kill(signal);
    this.#keepAlive(false);
  }

  /** An idle process does not keep this one alive; it ends when its input does. */
  #keepAlive(isKept: boolean): void {
    const { stdin, stdout, stderr } = this.#child as unknown as Record<string, Handle>;
    for (const handle of [this.#child as Handle, stdin, stdout, stderr]) {
      if (isKept) handle?.ref();
      else handle?.unref();
    }
  }
}

interface Handle {
  ref(): void;
  unref(): void;
}
