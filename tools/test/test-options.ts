/** The options of `k8ts test`. */
export interface TestOptions {
  /** Parts of paths of test files; all files if there is none. */
  readonly filters: readonly string[];
  /** Only tests whose full name matches this regular expression. */
  readonly name?: string;
  /** Order of files, and of tests in a file; undefined for the usual order. */
  readonly seed?: number;
  /** Number of runs. */
  readonly repeat: number;
  /** Number of concurrent files; undefined for the machine's default. */
  readonly jobs?: number;
  /** Limit of failed files that are run again, alone (count): 0 for none. */
  readonly again: number;
  /** Whether to build a fresh Debian and run the commands of the README there, instead of the tests here. */
  readonly isFresh: boolean;
  /** Whether to check types, lint and format of the whole project after the tests. */
  readonly hasChecks: boolean;
  readonly wantsHelp: boolean;
}

export const testHelp = `Runs the tests, then checks types, style and layers.

Usage: k8ts test [FILTER...] [flags]

  FILTER            only test files whose path contains it
  --name REGEXP     only tests whose name matches
  --shuffle SEED    files, and tests in each file, in an order that SEED decides
  --repeat N        run everything N times
  --jobs N          run N files at once
  --again N         if at most N files fail, run each again, alone: one that
                    passes then is printed as unsteady, not counted as failed
  --fresh           build a minimal Debian, and run README's commands there
  --no-checks       only the tests, without types and style of the project
  -h, --help        print this

Each file runs in a process of its own, with an environment, a home and a folder
for temporary files of its own.
The exit code is 0 if everything passed. The last line is "N passed, N failed,
N skipped".
`;

/** Largest seed that Node accepts. */
const maxSeed = 2 ** 32 - 1;

/** Parses the words of a command line; throws an error with the problem. */
export function parseTestOptions(args: readonly string[]): TestOptions {
  const filters: string[] = [];
  const values = new Map<string, string>();
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith("-")) {
      filters.push(word);
      continue;
    }
    const [flag = "", given] = splitOnce(word, "=");
    if (!(flag in flags)) throw new Error(`unknown flag ${flag}`);
    const value = flags[flag] === "switch" ? "true" : (given ?? words.shift());
    if (value === undefined) throw new Error(`${flag} needs a value`);
    values.set(flag, value);
  }
  const name = values.get("--name");
  const seed = wholeNumber(values, "--shuffle", 0, maxSeed);
  const jobs = wholeNumber(values, "--jobs", 1, 64);
  return {
    filters,
    repeat: wholeNumber(values, "--repeat", 1, 10_000) ?? 1,
    again: wholeNumber(values, "--again", 0, 100) ?? 0,
    isFresh: values.has("--fresh"),
    hasChecks: !values.has("--no-checks"),
    wantsHelp: values.has("--help") || values.has("-h"),
    ...(name === undefined ? {} : { name }),
    ...(seed === undefined ? {} : { seed }),
    ...(jobs === undefined ? {} : { jobs }),
  };
}

const flags: Readonly<Record<string, "switch" | "value">> = {
  "--name": "value",
  "--shuffle": "value",
  "--repeat": "value",
  "--jobs": "value",
  "--again": "value",
  "--fresh": "switch",
  "--no-checks": "switch",
  "--help": "switch",
  "-h": "switch",
};

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function wholeNumber(
  values: ReadonlyMap<string, string>,
  flag: string,
  least: number,
  most: number,
): number | undefined {
  const text = values.get(flag);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`${flag} must be a whole number from ${least} to ${most}, not "${text}"`);
}
