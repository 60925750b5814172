import { checkGrowth } from "#/testing/hostile/growth.ts";
import {
  checkCorpus,
  checkInput,
  type HostileParser,
  inputOf,
} from "#/testing/hostile/hostile-parser.ts";

/** Limit of a parser's increase of the peak of resident memory (MiB). Its inputs are 32 KiB, or 2 MiB for growth. */
const maxAddedMiB = 256;
const defaultInputs = 150;

export interface CheckOptions {
  readonly seed: number;
  /** Called before each input, with its number. */
  readonly onInput: (index: number) => void;
  /** Factor of the number of inputs of the gate. */
  readonly times?: number;
}

/** Checks one parser with all its inputs. Returns the failures, with the command to reproduce them. */
export async function checkParser(
  parser: HostileParser,
  { seed, onInput, times = 1 }: CheckOptions,
): Promise<string[]> {
  const problems: string[] = [];
  const before = process.resourceUsage().maxRSS;
  const note = (what: string) => (error: unknown) => {
    problems.push(`${parser.name}: ${what}: ${(error as Error).message}`);
  };
  await checkCorpus(parser).catch(note("corpus"));
  const inputs = (parser.inputs ?? defaultInputs) * times;
  for (let index = 0; index < inputs && problems.length < 3; index++) {
    onInput(index);
    await checkInput(parser, inputOf(parser, seed, index)).catch(note(replay(parser, seed, index)));
  }
  for (const [index, growth] of (parser.grows ?? []).entries()) {
    const what = typeof growth === "string" ? JSON.stringify(growth) : `growth ${index}`;
    onInput(-index - 1);
    await checkGrowth(parser, growth).catch(note(`${what} repeated is not linear`));
  }
  const addedMiB = (process.resourceUsage().maxRSS - before) / 1024;
  if (addedMiB > maxAddedMiB) problems.push(`${parser.name}: added ${addedMiB} MiB of memory`);
  return problems;
}

/** The command that runs one input again. */
export function replay({ name }: HostileParser, seed: number, index: number): string {
  return `node test/hostile/run.ts --parser '${name}' --seed ${seed} --input ${index}`;
}
