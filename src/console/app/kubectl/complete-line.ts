import { files } from "../node/virtual-files.ts";
import type { Kubectl } from "./load-kubectl.ts";
import { type PageTerminal, pageHost } from "./page-host.ts";
import { isKubectl, programNames } from "./programs.ts";

/** What the Tab key does. */
interface LineCompletion {
  /** What is put behind the cursor. */
  readonly insert: string;
  /** What there is to choose from, if nothing can be put there. */
  readonly choices: readonly string[];
}

interface Suggestion {
  readonly word: string;
  readonly description: string;
}

/** Limit of the suggestions that are shown (count): more would scroll the line away. */
const maxShown = 40;

/** Bits of cobra's directive. Upstream: github.com/spf13/cobra/completions.go. */
const noSpace = 2;
const noFiles = 4;

/** Completes the last word: a program, or what kubectl itself suggests. */
export async function completeLine(
  words: readonly string[],
  options: { readonly kubectl: Kubectl; readonly terminal: PageTerminal },
): Promise<LineCompletion> {
  const word = words.at(-1) ?? "";
  if (words.length <= 1) {
    const programs = programNames.map((name) => ({ word: name, description: "" }));
    return completionOf(word, programs, true);
  }
  if (!isKubectl(words[0] ?? "")) return completionOf(word, fileSuggestions(), true);
  const { suggestions, directive } = await askKubectl(words.slice(1), options);
  const wantsFiles = suggestions.length === 0 && (directive & noFiles) === 0;
  return completionOf(
    word,
    wantsFiles ? fileSuggestions() : suggestions,
    (directive & noSpace) === 0,
  );
}

const fileSuggestions = (): Suggestion[] =>
  files
    .list("/home")
    .filter((name) => !name.startsWith("."))
    .map((name) => ({ word: name, description: "" }));

/** Completion reads no input. */
async function* nothing(): AsyncGenerator<Uint8Array> {
  yield* [];
}

async function askKubectl(
  words: readonly string[],
  { kubectl, terminal }: { readonly kubectl: Kubectl; readonly terminal: PageTerminal },
) {
  let output = "";
  const streams = {
    input: nothing(),
    isTyped: false,
    isShown: false,
    write: (chunk: string | Uint8Array) => {
      output += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    },
    writeError: () => undefined,
    signal: new AbortController().signal,
  };
  const host = pageHost({ streams, terminal, folder: "/home", clock: kubectl.clock });
  await kubectl.run(["__complete", ...words], host);
  const lines = output.trimEnd().split("\n");
  const directive = Number(lines.pop()?.replace(/^:/, "")) || 0;
  const suggestions = lines
    .filter((line) => line !== "")
    .map((line) => {
      const [word = "", description = ""] = line.split("\t");
      return { word, description };
    });
  return { suggestions, directive };
}

function completionOf(
  word: string,
  suggestions: readonly Suggestion[],
  withSpace: boolean,
): LineCompletion {
  const fitting = suggestions.filter((one) => one.word.startsWith(word));
  const [first] = fitting;
  if (!first) return { insert: "", choices: [] };
  if (fitting.length === 1) {
    return { insert: first.word.slice(word.length) + (withSpace ? " " : ""), choices: [] };
  }
  const common = fitting.reduce((start, one) => commonStart(start, one.word), first.word);
  if (common.length > word.length) return { insert: common.slice(word.length), choices: [] };
  const width = Math.max(...fitting.slice(0, maxShown).map((one) => one.word.length));
  const choices = fitting
    .slice(0, maxShown)
    .map((one) => `${one.word.padEnd(width)}  ${one.description}`.trimEnd());
  const rest = fitting.length - maxShown;
  return { insert: "", choices: rest > 0 ? [...choices, `… ${rest}`] : choices };
}

function commonStart(a: string, b: string): string {
  const differs = [...a].findIndex((letter, index) => letter !== b[index]);
  return differs < 0 ? a : a.slice(0, differs);
}
