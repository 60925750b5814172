/** How a check ended on a machine. */
export interface Result {
  /** The machine's column: Debian 12. */
  readonly machine: string;
  readonly check: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** A figure that was measured. */
  readonly note?: string;
}

/** The facts of a machine in one line: versions of its system, kernel, systemd and container runtime. */
export interface Facts {
  readonly machine: string;
  readonly facts: string;
}

export interface Recorded {
  readonly machines: readonly Facts[];
  readonly results: readonly Result[];
}

/** Newer results replace older ones for the same machine and check. */
export function mergeRecorded(old: Recorded, next: Recorded): Recorded {
  const machines = new Map([...old.machines, ...next.machines].map((item) => [item.machine, item]));
  const results = new Map(
    [...old.results, ...next.results].map((item) => [`${item.machine}\n${item.check}`, item]),
  );
  const byName = (a: Facts, b: Facts): number => a.machine.localeCompare(b.machine);
  return { machines: [...machines.values()].sort(byName), results: [...results.values()] };
}

/** The results as Markdown: machines, a table of checks by machine, and the measured figures. */
export function resultsTable({ machines, results }: Recorded, order: readonly string[]): string {
  const names = machines.map(({ machine }) => machine);
  const find = (machine: string, check: string): Result | undefined =>
    results.find((result) => result.machine === machine && result.check === check);
  const cell = (result: Result | undefined): string => {
    if (result === undefined) return "not run";
    return result.passed ? `ok, ${Math.round(result.seconds)} s` : "**fails**";
  };
  const rows = order.filter((check) => names.some((machine) => find(machine, check)));
  return [
    ...machines.flatMap(({ machine, facts }) => wrap(`- ${machine}: ${facts}`)),
    "",
    `| tried | ${names.join(" | ")} |`,
    `| --- |${" --- |".repeat(names.length)}`,
    ...rows.map(
      (check) => `| ${check} | ${names.map((name) => cell(find(name, check))).join(" | ")} |`,
    ),
    "",
    "Measured there:",
    "",
    ...rows.flatMap((check) =>
      noteLine(
        check,
        names.map((name) => find(name, check)),
      ),
    ),
    "",
  ].join("\n");
}

function noteLine(check: string, results: readonly (Result | undefined)[]): string[] {
  const notes = results.flatMap((result) =>
    result?.passed && result.note ? [`${result.machine}: ${result.note}`] : [],
  );
  return notes.length === 0 ? [] : wrap(`- ${check}: ${notes.join("; ")}`);
}

/** Limit of a line of Markdown (columns). */
const lineColumns = 120;

function wrap(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length <= lineColumns || line.trim() === "") lines[lines.length - 1] = joined;
    else lines.push(`  ${word}`);
  }
  return lines;
}

const end = "<!-- end of results -->";
const begin = "<!-- results: written by test/machines/run.ts --record -->";
const beginArm64 = "<!-- results of arm64: written by test/machines/run.ts --arm64 --record -->";

/** The document with the recorded results in their two places: whole machines, and emulated ones. */
export function renderResults(
  document: string,
  recorded: Recorded,
  order: readonly string[],
): string {
  const part = (isArm64: boolean): Recorded => ({
    machines: recorded.machines.filter(({ machine }) => machine.startsWith("arm64") === isArm64),
    results: recorded.results,
  });
  const first = replacePart(document, begin, resultsTable(part(false), order));
  return replacePart(first, beginArm64, resultsTable(part(true), order));
}

/** Replaces the text between a marker and the next end marker. */
function replacePart(document: string, mark: string, text: string): string {
  const from = document.indexOf(mark);
  const to = document.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`the document has no place for results: ${mark}`);
  return `${document.slice(0, from + mark.length)}\n\n${text}\n${document.slice(to)}`;
}
