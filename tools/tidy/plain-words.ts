import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** Idioms, and the words to use instead. */
const idioms: readonly (readonly [pattern: string, instead: string])[] = [
  ["somebody|nobody|whoever", "name the caller, client or program"],
  ["anew", "write again, restart, recreate or reset"],
  ["lest", 'write "so that … not"'],
  ["told|tells?", "write report, notify, record or call"],
  ["let be", "write ignore, or leave unchanged"],
  ["so many|so much|so long(?! as\\b)", 'write "Limit of X (unit): why"'],
];
const anyIdiom = new RegExp(`\\b(?:${idioms.map(([pattern]) => pattern).join("|")})\\b`, "gi");

/** A comment after the code of a line, or a line of a comment. */
const comment = /^\s*(?:\/\/|\/?\*)/;
/** Calls whose first text is read by people: tests and log messages. */
const titledCall =
  /(?:\b(?:test|describe|it|suite|contractTest)|\blog\w*\??\.(?:info|warning|error|v))\((?:[^"'`()]|\([^()]*\))*(["'`])/gi;
/** Names of cases in the tables of tests. */
const caseName = /\b(?:name|title|claim)\s*:\s*(["'`])/g;

/** Comments, log messages and test names use the words of the field: they can be searched. */
export function checkPlainWords(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ text }) => text.search(anyIdiom) !== -1).flatMap(findingsIn);
}

function findingsIn({ path, text }: SourceFile): Finding[] {
  const code = blankLiterals(text);
  const proseLines = new Set(commentLines(text, code));
  const titles = [
    ...literalsAfter(titledCall, code),
    ...(isTest(path)
      ? literalsAfter(caseName, code).filter(([from, to]) => isPhrase(text, from, to))
      : []),
  ];
  const isProse = (index: number): boolean =>
    (code[index] === " " && proseLines.has(lineAt(text, index))) ||
    titles.some(([from, to]) => from < index && index < to);
  return [...text.matchAll(anyIdiom)]
    .filter(({ index }) => isProse(index))
    .map(({ 0: found, index }) => ({
      path,
      line: lineAt(text, index),
      message: `"${found}" is an idiom: ${insteadOf(found)}`,
    }));
}

/** The numbers, from 1, of lines that end in a comment. */
function commentLines(text: string, code: string): number[] {
  const blanked = code.split("\n");
  return text
    .split("\n")
    .flatMap((line, index) =>
      comment.test(line.slice((blanked[index] ?? "").trimEnd().length)) ? [index + 1] : [],
    );
}

type Range = readonly [from: number, to: number];

/** The literals at the end of each match, whose last group is the opening quote. */
function literalsAfter(pattern: RegExp, code: string): Range[] {
  return [...code.matchAll(pattern)].map(({ 0: found, 1: quote = '"', index }) => {
    const from = index + found.length;
    return [from - 1, code.indexOf(quote, from)];
  });
}

/** Whether a literal has several words: a single one may be the name of an object. */
const isPhrase = (text: string, from: number, to: number): boolean =>
  /\s/.test(text.slice(from, to));

function insteadOf(found: string): string {
  const idiom = idioms.find(([pattern]) => new RegExp(`^(?:${pattern})$`, "i").test(found));
  return idiom?.[1] ?? "use another word";
}
