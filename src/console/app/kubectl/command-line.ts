/** A command of a line, and where its output goes. */
export interface ParsedLine {
  /** Commands, each of which reads what the one before it writes. */
  readonly commands: readonly (readonly string[])[];
  /** The file that the first one reads; undefined for the terminal. */
  readonly input: string | undefined;
  /** The file that the last one writes; undefined for the terminal. */
  readonly output: { readonly file: string; readonly appends: boolean } | undefined;
  /** The line that ends the text which the first one reads: the text follows. */
  readonly textEnd: string | undefined;
}

/** A line that cannot be understood. */
class LineError extends Error {}

type Token = { readonly word: string } | { readonly sign: string };

const signs = ["<<", ">>", "|", "<", ">"] as const;

/** Takes a line apart as a shell does: words, quotes, pipes, files. There are no variables and no patterns. */
export function parseLine(text: string): ParsedLine {
  const commands: string[][] = [[]];
  const given: Record<string, string> = {};
  let sign: string | undefined;
  for (const token of tokensOf(text)) {
    if ("sign" in token) {
      if (sign !== undefined) throw new LineError(`syntax error near "${token.sign}"`);
      if (token.sign === "|") commands.push([]);
      else sign = token.sign;
    } else if (sign === undefined) commands.at(-1)?.push(token.word);
    else {
      given[sign] = token.word;
      sign = undefined;
    }
  }
  if (sign !== undefined) throw new LineError(`syntax error: ${sign} needs a name`);
  const isEmpty = commands.length === 1 && commands[0]?.length === 0;
  if (!isEmpty && commands.some((words) => words.length === 0)) {
    throw new LineError("syntax error: a pipe needs a command on both sides");
  }
  const file = given[">>"] ?? given[">"];
  return {
    commands: isEmpty ? [] : commands,
    input: given["<"],
    output: file === undefined ? undefined : { file, appends: ">>" in given },
    textEnd: given["<<"],
  };
}

function* tokensOf(text: string): Generator<Token> {
  let rest = text.trimStart();
  while (rest !== "" && !rest.startsWith("#")) {
    const sign = signs.find((one) => rest.startsWith(one));
    if (sign !== undefined) {
      yield { sign };
      rest = rest.slice(sign.length).trimStart();
      continue;
    }
    const { word, length } = wordOf(rest);
    yield { word };
    rest = rest.slice(length).trimStart();
  }
}

/** The first word, without its quotes, and how long it is with them. */
function wordOf(text: string): { readonly word: string; readonly length: number } {
  let word = "";
  let quote = "";
  let at = 0;
  for (; at < text.length; at++) {
    const letter = text.charAt(at);
    if (quote !== "") {
      if (letter === quote) quote = "";
      else if (letter === "\\" && quote === '"' && '"\\$`'.includes(text.charAt(at + 1))) {
        word += text.charAt(++at);
      } else word += letter;
    } else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === "\\") word += text.charAt(++at);
    else if (/[\s|<>]/.test(letter)) break;
    else word += letter;
  }
  if (quote !== "") throw new LineError(`a quote is not closed: ${quote}`);
  return { word, length: at };
}

/** The words of an unfinished line whose last one is to be completed; undefined inside of quotes. */
export function wordsToComplete(text: string): readonly string[] | undefined {
  const last = text.split("|").at(-1) ?? "";
  try {
    const [words = []] = parseLine(last).commands;
    return last === "" || /\s$/.test(last) ? [...words, ""] : words;
  } catch {
    return undefined;
  }
}
