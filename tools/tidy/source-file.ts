import { blankLiterals } from "./blank-literals.ts";

/** A text file of the repository, with its path from the root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A violation of a rule; the message says what to do instead. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** An import or re-export: its specifier and its position. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Whether it is removed when types are stripped. */
  readonly typeOnly: boolean;
  /** Whether it is an import() call, which runs later. */
  readonly dynamic: boolean;
}

const importPattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)(["'])( *)\1/g;

/** Every import of a file, static or dynamic, of values or types. */
export function importsOf({ text }: SourceFile): Import[] {
  const code = blankLiterals(text);
  return [...code.matchAll(importPattern)].map((match) => {
    const end = match.index + match[0].length - 1;
    const specifier = text.slice(end - (match[2]?.length ?? 0), end);
    const dynamic = match[0].includes("(");
    const typeOnly = isTypeOnly(code, match.index, dynamic);
    return { specifier, line: lineAt(text, match.index), typeOnly, dynamic };
  });
}

/** Whether the statement that ends with an import's specifier names types alone. */
function isTypeOnly(code: string, index: number, dynamic: boolean): boolean {
  if (dynamic) return /\btypeof\s+$/.test(code.slice(Math.max(0, index - 20), index));
  const start = Math.max(code.lastIndexOf("import", index), code.lastIndexOf("export", index));
  const clause = code.slice(start, index);
  if (/^(im|ex)port\s+type\b/.test(clause)) return true;
  const names = /^(?:im|ex)port\s*\{([^}]*)\}/.exec(clause)?.[1]?.split(",") ?? [];
  const named = names.map((name) => name.trim()).filter((name) => name !== "");
  return named.length > 0 && named.every((name) => name.startsWith("type "));
}

const quotedPath = /["'`]((?:#|\.{1,2})\/[^"'`\n]+\.ts)["'`]/g;

/** The files that a file names in quotes: those that it imports, and those that it starts as worker threads. */
export function referencesOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(quotedPath)].flatMap(
    ([, specifier = ""]) => resolveSpecifier(path, specifier) ?? [],
  );
}

/** The path from the root of a specifier; undefined for a package or a Node built-in. */
export function resolveSpecifier(from: string, specifier: string): string | undefined {
  if (specifier.startsWith("#/")) return `src/${specifier.slice(2)}`;
  if (!specifier.startsWith(".")) return undefined;
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Whether a file is a test or serves tests alone. */
export function isTest(path: string): boolean {
  return /\.(test|contract|model|program)\.ts$/.test(path) || /^(test|src\/testing)\//.test(path);
}

/** The number, from 1, of the line that holds a position. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
