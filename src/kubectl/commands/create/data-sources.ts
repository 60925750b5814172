/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/util/util.go, staging/src/k8s.io/kubectl/pkg/cmd/util/env_file.go,
 * staging/src/k8s.io/kubectl/pkg/util/hash/hash.go.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isEnvVarName } from "#/machinery/meta/text-rules.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { failureReason, openFailure } from "#/std/files/file-errors.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";

/** The sources of a ConfigMap or Secret. */
export const sourceFlags = {
  "from-file": {
    type: "stringSlice",
    help:
      "File whose content becomes a value. The key is the name of the file without its " +
      "directory, or the one in KEY=FILE. A directory gives a key for each of its files " +
      "whose name is a valid key. May be repeated",
  },
  "from-literal": { type: "stringArray", help: "Key and value, as KEY=VALUE. May be repeated" },
  "from-env-file": { type: "stringSlice", help: "File whose lines are KEY=VALUE. May be repeated" },
  "append-hash": { type: "bool", help: "Append a hash of the content to the name" },
} satisfies FlagSet;

/** Adds a key and its value; throws if the key is invalid. */
export type AddKey = (key: string, data: Buffer) => void;

/** Keys from `key=value` pairs. */
export function addLiterals(sources: readonly string[], add: AddKey): void {
  for (const source of sources) {
    const equals = source.indexOf("=");
    if (equals <= 0) throw new CommandError(`invalid literal source ${source}, expected key=value`);
    add(source.slice(0, equals), Buffer.from(source.slice(equals + 1)));
  }
}

/** Keys from files, and from all files of folders. */
export function addFiles(context: Context, sources: readonly string[], add: AddKey): void {
  for (const source of sources) {
    const { key, path } = parseFileSource(source);
    if (!statFile(context, path).isDirectory()) {
      add(key, readSource(context, path));
      continue;
    }
    if (source.includes("=")) throw new CommandError("cannot give a key name for a directory path");
    const entries = readdirSync(context.path(path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isFile()) add(entry.name, readSource(context, join(path, entry.name)));
    }
  }
}

function parseFileSource(source: string): { key: string; path: string } {
  const parts = source.split("=");
  const [key = "", path = ""] = parts;
  if (parts.length === 1) return { key: basename(source), path: source };
  if (parts.length > 2) throw new CommandError("key names or file paths cannot contain '='");
  if (key === "") throw new CommandError(`key name for file path ${path} missing`);
  if (path === "") throw new CommandError(`file path for key name ${key} missing`);
  return { key, path };
}

function statFile(context: Context, path: string): ReturnType<typeof statSync> & object {
  try {
    return statSync(context.path(path));
  } catch (error) {
    throw new CommandError(`error reading ${path}: ${failureReason(error)}`, { cause: error });
  }
}

function readSource(context: Context, path: string): Buffer {
  try {
    return readFileSync(context.path(path));
  } catch (error) {
    throw new CommandError(openFailure(path, error), { cause: error });
  }
}

/** Keys from lines `key=value`; a key alone gets its value from the environment. */
export function addEnvFiles(
  context: Context,
  sources: readonly string[],
  what: string,
  add: AddKey,
): void {
  for (const source of sources) {
    if (statFile(context, source).isDirectory()) {
      throw new CommandError(`env ${what} file cannot be a directory`);
    }
    const text = readSource(context, source)
      .toString()
      .replace(/^\ufeff/, "");
    for (const raw of text.split(/\r?\n/)) {
      const line = raw.trimStart();
      if (line === "" || line.startsWith("#")) continue;
      const equals = line.indexOf("=");
      const key = equals < 0 ? line : line.slice(0, equals);
      const problems = isEnvVarName(key);
      if (problems.length > 0) {
        throw new CommandError(`${goQuote(key)} is not a valid key name: ${problems.join(";")}`);
      }
      add(key, Buffer.from(equals < 0 ? (context.env[key] ?? "") : line.slice(equals + 1)));
    }
  }
}

/** Rejects sources that exclude each other. */
export function checkSources(flags: {
  readonly "from-file": readonly string[];
  readonly "from-literal": readonly string[];
  readonly "from-env-file": readonly string[];
}): void {
  const others = flags["from-file"].length + flags["from-literal"].length;
  if (flags["from-env-file"].length > 0 && others > 0) {
    throw new CommandError("from-env-file cannot be combined with from-file or from-literal");
  }
}

const harmless: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };

/** A hash of ten letters of an object's content, from an alphabet that forms no words. */
export function contentHash(content: Readonly<Record<string, unknown>>): string {
  const sorted = Object.fromEntries(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1)));
  const hex = createHash("sha256").update(goJson(sorted)).digest("hex");
  return [...hex.slice(0, 10)].map((letter) => harmless[letter] ?? letter).join("");
}

/** A map with sorted keys. */
export function sortedMap<T>(map: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
