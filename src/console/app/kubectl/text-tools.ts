import { resolve } from "../node/path.ts";
import { files } from "../node/virtual-files.ts";

/** What a tool reads and writes. */
export interface ToolStreams {
  /** The folder that relative names of files start from. */
  readonly folder: string;
  readonly input: AsyncIterable<Uint8Array>;
  write(text: string): void;
}

/** A program for text. It returns its exit code, and throws a ToolError for a wrong call. */
type Tool = (args: readonly string[], streams: ToolStreams) => Promise<number>;

export class ToolError extends Error {}

/** Lines as they arrive. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}

/** One-letter options, also joined ("-iv"), and the other words. "-n 5" and "-n5" have a value. */
function optionsOf(args: readonly string[], known: string, withValue = "") {
  const options = new Map<string, string>();
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!/^-./.test(arg)) words.push(arg);
    else if (/^-\d+$/.test(arg) && withValue.includes("n")) options.set("n", arg.slice(1));
    else {
      for (let letter = 1; letter < arg.length; letter++) {
        const name = arg.charAt(letter);
        if (withValue.includes(name)) {
          options.set(name, arg.slice(letter + 1) || (args[++at] ?? ""));
          break;
        }
        if (!known.includes(name)) throw new ToolError(`there is no option -${name}`);
        options.set(name, "");
      }
    }
  }
  return { options, words };
}

/** The lines of files, or of the input if there are none. */
async function* linesFrom(names: readonly string[], streams: ToolStreams): AsyncGenerator<string> {
  if (names.length === 0) return yield* linesOf(streams.input);
  for (const name of names) {
    const text = new TextDecoder().decode(files.read(resolve(streams.folder, name)));
    const lines = text.split("\n");
    yield* text.endsWith("\n") ? lines.slice(0, -1) : lines;
  }
}

const grep: Tool = async (args, streams) => {
  const { options, words } = optionsOf(args, "ivcEFno", "e");
  const [given = "", ...names] = options.has("e") ? [options.get("e") ?? "", ...words] : words;
  const pattern = options.has("F") ? given.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : given;
  let wanted: RegExp;
  try {
    wanted = new RegExp(pattern, options.has("i") ? "i" : "");
  } catch (error) {
    throw new ToolError((error as Error).message);
  }
  let count = 0;
  let number = 0;
  for await (const line of linesFrom(names, streams)) {
    number++;
    const found = wanted.exec(line);
    if ((found !== null) === options.has("v")) continue;
    count++;
    if (options.has("c")) continue;
    const shown = options.has("o") && found ? found[0] : line;
    streams.write(`${options.has("n") ? `${number}:` : ""}${shown}\n`);
  }
  if (options.has("c")) streams.write(`${count}\n`);
  return count > 0 ? 0 : 1;
};

const countOf = (options: ReadonlyMap<string, string>): number => {
  const count = Number(options.get("n") ?? 10);
  if (!Number.isInteger(count) || count < 0) throw new ToolError("-n needs a number of lines");
  return count;
};

const head: Tool = async (args, streams) => {
  const { options, words } = optionsOf(args, "", "n");
  let left = countOf(options);
  if (left === 0) return 0;
  for await (const line of linesFrom(words, streams)) {
    streams.write(`${line}\n`);
    left--;
    if (left === 0) break;
  }
  return 0;
};

const tail: Tool = async (args, streams) => {
  const { options, words } = optionsOf(args, "", "n");
  const count = countOf(options);
  const last: string[] = [];
  for await (const line of linesFrom(words, streams)) {
    last.push(line);
    if (last.length > count) last.shift();
  }
  for (const line of last) streams.write(`${line}\n`);
  return 0;
};

const sort: Tool = async (args, streams) => {
  const { options, words } = optionsOf(args, "rnu");
  let lines: string[] = [];
  for await (const line of linesFrom(words, streams)) lines.push(line);
  const byNumber = (a: string, b: string) =>
    (Number.parseFloat(a) || 0) - (Number.parseFloat(b) || 0);
  lines.sort(options.has("n") ? byNumber : undefined);
  if (options.has("r")) lines.reverse();
  if (options.has("u")) lines = [...new Set(lines)];
  for (const line of lines) streams.write(`${line}\n`);
  return 0;
};

const wc: Tool = async (args, streams) => {
  const { options, words } = optionsOf(args, "lwc");
  let [lines, all, letters] = [0, 0, 0];
  for await (const line of linesFrom(words, streams)) {
    lines++;
    all += line.split(/\s+/).filter(Boolean).length;
    letters += line.length + 1;
  }
  const shown = Object.entries({ l: lines, w: all, c: letters }).filter(
    ([name]) => options.size === 0 || options.has(name),
  );
  streams.write(`${shown.map(([, count]) => count).join(" ")}\n`);
  return 0;
};

const cat: Tool = async (args, streams) => {
  for await (const line of linesFrom(args, streams)) streams.write(`${line}\n`);
  return 0;
};

const echo: Tool = async (args, { write }) => {
  write(`${args.join(" ")}\n`);
  return 0;
};

const ls: Tool = async ([folder = "."], streams) => {
  const path = resolve(streams.folder, folder);
  for (const name of files.list(path)) {
    streams.write(files.isFolder(resolve(path, name)) ? `${name}/\n` : `${name}\n`);
  }
  return 0;
};

const rm: Tool = async (args, { folder }) => {
  for (const name of args) {
    const path = resolve(folder, name);
    files.read(path);
    files.remove(path);
  }
  return 0;
};

/** The programs of the page besides kubectl, by their names. */
export const textTools: Readonly<Record<string, Tool>> = {
  cat,
  echo,
  grep,
  head,
  ls,
  rm,
  sort,
  tail,
  wc,
};
