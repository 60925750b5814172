/** Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/{builder,visitor}.go. */
import { globSync, readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, isAbsolute, join, relative } from "node:path";
import { failureReason, openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { readAll } from "../base/host.ts";
import type { Context } from "../command/context.ts";

/** A source of objects. */
interface Source {
  readonly name: string;
  read(): Promise<Buffer>;
}

export interface Sources {
  readonly sources: readonly Source[];
  readonly errors: readonly CommandError[];
  /** True for one file or URL: a single object is expected. */
  readonly isSingle: boolean;
  readonly usesStdin: boolean;
}

const extensions = [".json", ".yaml", ".yml"];
const httpAttempts = 3;

/** The sources that -f names: files, folders, patterns, URLs and standard input. */
export function fileSources(
  names: readonly string[],
  context: Context,
  { recursive }: { readonly recursive: boolean },
): Sources {
  const sources: Source[] = [];
  const errors: CommandError[] = [];
  let stdins = 0;
  let isFolder = false;
  for (const name of names) {
    if (name === "-") {
      if (stdins++ > 0) {
        errors.push(new CommandError("standard input cannot be used for multiple arguments"));
      }
      sources.push({ name: "STDIN", read: () => readAll(context.stdin) });
    } else if (/^https?:\/\//.test(name))
      sources.push({ name, read: () => readUrl(name, context) });
    else {
      const found = pathSources(name, context, recursive);
      if (found.length > 1) isFolder = true;
      for (const each of found) {
        if (each instanceof CommandError) errors.push(each);
        else sources.push(each);
      }
    }
  }
  const isSingle = !isFolder && stdins === 0 && sources.length === 1;
  return { sources, errors, isSingle, usesStdin: stdins > 0 };
}

function pathSources(
  name: string,
  context: Context,
  recursive: boolean,
): (Source | CommandError)[] {
  const paths = expandPattern(name, context);
  const found = paths.flatMap((path): (Source | CommandError)[] => {
    if (path instanceof CommandError) return [path];
    try {
      return filesBelow(path, context, recursive).map((file) => fileSource(file, context));
    } catch (error) {
      return [new CommandError(`error reading ${goQuote(path)}: ${messageOf(error)}`)];
    }
  });
  if (found.length > 0) return found;
  const shown = `[${paths.map(String).join(" ")}]`;
  return [
    new CommandError(
      `error reading ${shown}: recognized file extensions are [${extensions.join(" ")}]`,
    ),
  ];
}

function fileSource(name: string, context: Context): Source {
  return {
    name,
    async read() {
      try {
        return await readFile(context.path(name));
      } catch (error) {
        throw new CommandError(openFailure(name, error), { cause: error });
      }
    },
  };
}

function expandPattern(name: string, context: Context): (string | CommandError)[] {
  try {
    statSync(context.path(name));
    return [name];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      return [
        new CommandError(
          `the path ${goQuote(name)} cannot be accessed: stat ${name}: ${failureReason(error)}`,
        ),
      ];
    }
    const matches = /[*?[]/.test(name) ? globSync(context.path(name)).sort() : [];
    if (matches.length === 0) return [new CommandError(`the path ${goQuote(name)} does not exist`)];
    return isAbsolute(name) ? matches : matches.map((match) => relative(context.cwd, match));
  }
}

/** The file itself, or the files of a folder with an extension of manifests, by name. */
function filesBelow(path: string, context: Context, recursive: boolean): string[] {
  if (!statSync(context.path(path)).isDirectory()) return [path];
  return readdirSync(context.path(path), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return recursive ? filesBelow(inner, context, true) : [];
      return extensions.includes(extname(entry.name)) ? [inner] : [];
    });
}

async function readUrl(url: string, context: Context): Promise<Buffer> {
  const { getUrl } = await import("./get-url.ts");
  let failure: unknown;
  for (let attempt = 0; attempt < httpAttempts; attempt++) {
    if (attempt > 0) await context.clock.sleep(1000, context.signal);
    try {
      const { status, statusText, body } = await getUrl(url, context);
      if (status >= 200 && status < 300) return body;
      failure = new CommandError(
        `unable to read URL ${goQuote(url)}, server reported ${status} ${statusText}, status code=${status}`,
      );
      if (status < 500) break;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
