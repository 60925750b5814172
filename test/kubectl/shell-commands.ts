/** A command of a shell line: its words, without quotes and redirections. */
export type ShellCommand = readonly string[];

/**
 * Parses the lines of an example: pipelines, each a list of commands. Comments are skipped; commands in `<(…)` count.
 */
export function shellPipelines(text: string): ShellCommand[][] {
  const lines = text.replaceAll(/\\\n/g, " ").split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => pipelinesOf(line.replaceAll(/<\(([^)]*)\)/g, "; $1 ;")));
}

/** Operators, redirections with their files, and the parts of words. */
const token =
  /(?<operator>\|\||&&|;)|(?<pipe>\|)|(?<redirection>\d?>>? *(?:"[^"]*"|\$\([^)]*\)\S*|\S+))|(?<space>\s+)|\$'(?<escaped>(?:\\.|[^'])*)'|'(?<single>[^']*)'|"(?<double>(?:\\.|[^"])*)"|(?<substitution>\$\([^)]*\))|(?<plain>\\.|.)/gs;

function pipelinesOf(line: string): ShellCommand[][] {
  const pipelines: string[][][] = [[[]]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) pipelines.at(-1)?.at(-1)?.push(word);
    word = undefined;
  };
  for (const { groups = {} } of line.matchAll(token)) {
    const { operator, pipe, redirection, space, escaped, single, double, substitution } = groups;
    if ((operator ?? pipe ?? redirection ?? space) === undefined) {
      const piece = escaped?.replaceAll("\\n", "\n") ?? single ?? double ?? substitution;
      word = (word ?? "") + (piece ?? groups["plain"] ?? "");
      continue;
    }
    endWord();
    if (operator !== undefined) pipelines.push([[]]);
    if (pipe !== undefined) pipelines.at(-1)?.push([]);
  }
  endWord();
  return pipelines
    .map((commands) => commands.map(withoutKeywords).filter((words) => words.length > 0))
    .filter((commands) => commands.length > 0);
}

/** A command without the shell's keywords and the variables before it. */
function withoutKeywords(words: string[]): string[] {
  const start = words.findIndex((word) => !/^(?:until|do|done|source|[A-Z_]+=.*)$/s.test(word));
  return start < 0 ? [] : words.slice(start);
}
