import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "./command-failure.ts";
import type { ClusterPaths } from "./paths.ts";
import { ensureFolder, traverseOnly, writeWhole } from "./write-file.ts";

/**
 * An operation of several steps, whose progress is recorded in the cluster's folder: a program that ends at any moment,
 * also by kill -9, leaves a journal, by which the same command or the next `up` ends the operation. The caller holds the
 * cluster's lock.
 */
export interface Operation<State extends object> {
  /** The command that runs it, in words: "migrate --to-etcd". */
  readonly name: string;
  /** When `up` ends it: before it starts the programs, or once the API server serves. */
  readonly resumes: "before start" | "after start";
  /** Whether it may begin while another one has not ended: then that one is forgotten. */
  readonly replacesOthers?: boolean;
  /** Its steps. Their names are recorded: another version may add some, but not rename or move them. */
  steps(paths: ClusterPaths): readonly Step<State>[];
}

/** A step. It may run again after it has run whole or in part, and must have the same effect as once. */
interface Step<State extends object> {
  readonly name: string;
  /** `remember` adds to the state, durably, before it resolves: what must be the same in each run is remembered first. */
  run(state: State, remember: Remember<State>): Promise<void>;
  /**
   * Takes it back, also if it has run in part. An operation that fails is undone if all steps so far can be; otherwise it
   * waits at the step that failed.
   */
  undo?(state: State): Promise<void>;
}

export type Remember<State> = (more: Partial<State>) => Promise<void>;

/** What the journal says of an operation that has not ended. */
interface Journal {
  readonly name: string;
  /** The name of the step that runs, or is next. */
  readonly step: string;
  /** True if the steps are being taken back. */
  readonly isUndone: boolean;
  /** The arguments, with what steps remember. JSON. */
  readonly state: object;
}

/** Reports a step while it runs; Progress has such a method. */
interface StepReport {
  step(title: string, work: () => Promise<void>): Promise<void>;
}

const journalFile = (paths: ClusterPaths): string => join(paths.folder, "operation.json");

/** The operation that has not ended; undefined if there is none. */
export async function findOperation(paths: ClusterPaths): Promise<Journal | undefined> {
  try {
    return JSON.parse(await readFile(journalFile(paths), "utf8")) as Journal;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * Runs an operation to its end, or continues it if it was interrupted, with the arguments that it was begun with. Rejects
 * if another one has not ended, or if a step does; if it can, it takes the steps back before that.
 */
export async function runOperation<State extends object>(
  paths: ClusterPaths,
  operation: Operation<State>,
  args: State,
  report: StepReport,
): Promise<void> {
  const earlier = await findOperation(paths);
  const isOther = earlier !== undefined && earlier.name !== operation.name;
  const found = isOther ? undefined : earlier;
  if (isOther && !operation.replacesOthers) {
    throw new CommandFailure(
      `"${earlier.name}" was interrupted at the step "${earlier.step}"; end it first: run it again, or \`up\``,
    );
  }
  await new OperationRun(paths, operation, found, args).run(report);
}

/**
 * Ends the operation that was interrupted, if there is one and this is when it resumes: forwards, or backwards if it was
 * being undone. Returns its name.
 */
export async function finishOperation(
  paths: ClusterPaths,
  operations: readonly Operation<object>[],
  now: Operation<object>["resumes"],
  report: StepReport,
): Promise<string | undefined> {
  const found = await findOperation(paths);
  if (!found) return undefined;
  const operation = operations.find(({ name }) => name === found.name);
  if (!operation) {
    throw new CommandFailure(
      `this version does not know "${found.name}", which was interrupted at the step "${found.step}"`,
    );
  }
  if (operation.resumes !== now) return undefined;
  await new OperationRun(paths, operation, found, found.state).run(report);
  return found.name;
}

class OperationRun<State extends object> {
  readonly #paths: ClusterPaths;
  readonly #name: string;
  readonly #steps: readonly Step<State>[];
  #state: State;
  #at: number;
  #isUndone: boolean;

  constructor(
    paths: ClusterPaths,
    operation: Operation<State>,
    found: Journal | undefined,
    args: State,
  ) {
    this.#paths = paths;
    this.#name = operation.name;
    this.#steps = operation.steps(paths);
    this.#state = (found?.state as State | undefined) ?? args;
    this.#isUndone = found?.isUndone ?? false;
    this.#at = found ? this.#steps.findIndex(({ name }) => name === found.step) : 0;
    if (this.#at < 0) {
      throw new CommandFailure(`this version does not know step "${found?.step}" of ${this.#name}`);
    }
  }

  async run(report: StepReport): Promise<void> {
    if (this.#isUndone) return await this.#undo(report);
    try {
      for (; this.#at < this.#steps.length; this.#at++) await this.#runStep(report);
    } catch (error) {
      if (this.#steps.slice(0, this.#at + 1).every(({ undo }) => undo)) {
        this.#isUndone = true;
        await this.#undo(report).catch((reason: Error) => {
          throw new Error(`${reason.message}; it was undone after this: ${error}`, {
            cause: error,
          });
        });
      }
      throw error;
    }
    await this.#end();
  }

  async #runStep(report: StepReport): Promise<void> {
    const step = this.#step;
    await this.#record();
    killAt(2 * this.#at);
    await report.step(step.name, () =>
      step.run(this.#state, async (more) => {
        this.#state = { ...this.#state, ...more };
        await this.#record();
      }),
    );
    killAt(2 * this.#at + 1);
  }

  async #undo(report: StepReport): Promise<void> {
    for (; this.#at >= 0; this.#at--) {
      await this.#record();
      const { name, undo } = this.#step;
      await report.step(`undo: ${name}`, async () => await undo?.(this.#state));
      killAt(-1 - this.#at);
    }
    await this.#end();
  }

  get #step(): Step<State> {
    const step = this.#steps[this.#at];
    if (!step) throw new Error(`${this.#name} has no step ${this.#at}`);
    return step;
  }

  async #record(): Promise<void> {
    const journal: Journal = {
      name: this.#name,
      step: this.#step.name,
      isUndone: this.#isUndone,
      state: this.#state,
    };
    await ensureFolder(this.#paths.folder, traverseOnly);
    await writeWhole(journalFile(this.#paths), `${JSON.stringify(journal)}\n`);
  }

  async #end(): Promise<void> {
    await rm(journalFile(this.#paths), { force: true });
  }
}

/**
 * Ends this program as kill -9 does, at a point that a test chooses by its number: 2 N is before step N, counted from 0, and
 * 2 N + 1 after it, while the journal still names it; -1 - N is after step N was taken back.
 */
function killAt(point: number): void {
  if (process.env["K8TS_KILL_AT"] === String(point)) process.kill(process.pid, "SIGKILL");
}
