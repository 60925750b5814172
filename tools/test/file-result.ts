/** The events of a test file's process. A test starts before its subtests, and ends after them. */
export type ReportedEvent =
  | { readonly type: "start"; readonly name: string; readonly nesting: number }
  | ({ readonly type: "pass"; readonly ms: number } & Place)
  | ({ readonly type: "skip"; readonly reason: string } & Place)
  | ({ readonly type: "fail"; readonly error: string } & Place)
  | { readonly type: "end" };

interface Place {
  readonly name: string;
  readonly nesting: number;
  readonly line: number;
}

export interface Failure {
  /** Names of its parent tests, the outermost first, and its own. */
  readonly names: readonly string[];
  readonly line: number;
  readonly error: string;
}

/** The result of one run of a test file. */
export interface FileResult {
  readonly file: string;
  /** Seed of the order of its tests; undefined for the order in the file. */
  readonly seed?: number | undefined;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Outermost tests with their durations. */
  readonly durations: readonly { readonly name: string; readonly ms: number }[];
  /** The end of its own output. */
  readonly output: string;
}

/** How the process of a test file has ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  /** Processes that it had started and that outlived it. */
  readonly leftovers: readonly string[];
}

/** Computes a result from a process's events and its end. */
export function toFileResult(
  file: string,
  events: readonly ReportedEvent[],
  end: ProcessEnd,
): FileResult {
  const around: string[] = [];
  const failures: Failure[] = [];
  const passes = events.filter((event) => event.type === "pass");
  for (const event of events) {
    if (event.type === "start") around[event.nesting] = event.name;
    if (event.type !== "fail") continue;
    const { name, nesting, line, error } = event;
    failures.push({ names: [...around.slice(0, nesting), name], line, error });
  }
  failures.push(...processFailures(events, failures.length, end));
  return {
    file,
    passed: passes.length,
    failures,
    skipped: events
      .filter((event) => event.type === "skip")
      .map(({ name, reason }) => ({ name, reason })),
    durations: passes.filter(({ nesting }) => nesting === 0).map(({ name, ms }) => ({ name, ms })),
    output: end.output,
  };
}

/** Failures that no test has reported. */
function processFailures(
  events: readonly ReportedEvent[],
  reported: number,
  { code, signal, leftovers }: ProcessEnd,
): Failure[] {
  const failures: Failure[] = [];
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
  const isComplete = events.at(-1)?.type === "end";
  if (!isComplete) failures.push(ofProcess(`the process ${how} before its tests were done`));
  else if (reported === 0 && (signal || code !== 0)) failures.push(ofProcess(`the process ${how}`));
  if (leftovers.length > 0)
    failures.push(ofProcess(`it left processes behind:\n${leftovers.join("\n")}`));
  return failures;
}

const ofProcess = (error: string): Failure => ({ names: [], line: 0, error });
