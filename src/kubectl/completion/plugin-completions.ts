/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/plugin/plugin_completion.go. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter } from "node:path";
import type { Host } from "../base/host.ts";
import type { CommandEntry } from "../command/command.ts";
import { findEntry } from "../command/find-command.ts";
import { findExecutable } from "../command/plugins.ts";
import { directive } from "./directive.ts";
import type { Suggestion, Suggestions } from "./suggestions.ts";

/** The command words of each plugin: `kubectl-foo-bar_baz` is `foo bar-baz`. */
function pluginPaths({ env }: Host): string[][] {
  return (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap(namesIn)
    .filter((name) => name.startsWith("kubectl-"))
    .map((name) =>
      name
        .split("-")
        .slice(1)
        .map((part) => part.replaceAll("_", "-")),
    );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // A missing folder of PATH has no plugins.
    return [];
  }
}

type Entry = Pick<CommandEntry, "name" | "summary">;

/** The plugins below some words, as commands. */
function entriesBelow(words: readonly string[], host: Host): Entry[] {
  const below = pluginPaths(host)
    .filter((path) => words.every((word, i) => path[i] === word))
    .flatMap((path) => path[words.length] ?? []);
  return [...new Set(below)].map(entryOf);
}

function entryOf(name: string): Entry {
  return { name, summary: `The command ${name} is a plugin installed by the user` };
}

/** Plugins as commands of kubectl, without those that extend its own commands. */
export function pluginEntries(host: Host, own: readonly CommandEntry[]): Entry[] {
  return entriesBelow([], host).filter(({ name }) => !findEntry(own, name));
}

/** Plugins for the help: one line for each program, by its first word. */
export function pluginGroup(host: Host, own: readonly CommandEntry[]): Entry[] {
  return pluginPaths(host)
    .map(([name = ""]) => entryOf(name))
    .filter(({ name }) => !findEntry(own, name));
}

/** Suggestions for an argument of a plugin; undefined if there is no such plugin. */
export function completePlugin(
  before: readonly string[],
  word: string,
  host: Host,
): Promise<Suggestions> | undefined {
  const paths = pluginPaths(host);
  const lengths = paths.flatMap((path) =>
    path
      .map((_, i) => path.slice(0, i + 1))
      .filter((part) => part.every((each, i) => each === before[i])),
  );
  const depth = Math.max(0, ...lengths.map((part) => part.length));
  if (depth === 0) return undefined;
  return suggestionsOf(before.slice(0, depth), [...before.slice(depth), word], host);
}

async function suggestionsOf(
  words: readonly string[],
  args: readonly string[],
  host: Host,
): Promise<Suggestions> {
  const [word = ""] = args.slice(-1);
  const below = args.length === 1 ? entriesBelow(words, host) : [];
  const entries = below
    .filter(({ name }) => name.startsWith(word))
    .map(({ name, summary }) => ({ word: name, description: summary }));
  const own = await askPlugin(words, args, host);
  const isDefault = own.directive === directive.default && below.length > 0;
  return {
    suggestions: [...entries, ...own.suggestions],
    directive: isDefault && own.suggestions.length === 0 ? directive.noFiles : own.directive,
  };
}

/** The output of the program `kubectl_complete-NAME` of a plugin. */
function askPlugin(
  words: readonly string[],
  args: readonly string[],
  { env, cwd, err }: Host,
): Promise<Suggestions> {
  const name = words.map((word) => word.replaceAll("-", "_")).join("-");
  const program = `kubectl_complete-${name}`;
  err.write(`[Debug] About to look for: ${program}\n`);
  const file = findExecutable(program, env["PATH"] ?? "");
  const nothing = { suggestions: [], directive: directive.default };
  if (file === undefined) {
    err.write(`[Debug] Plugin kubectl-${name} does not provide a matching completion executable\n`);
    return Promise.resolve(nothing);
  }
  err.write(`[Debug] About to call: ${file} ${args.join(" ")}\n`);
  return new Promise((resolve) => {
    execFile(file, [...args], { env, cwd }, (error, stdout) =>
      resolve(error ? nothing : parseAnswer(stdout)),
    );
  });
}

function parseAnswer(text: string): Suggestions {
  const lines = text.split("\n").filter((line) => line !== "");
  const last = /^:(\d+)$/.exec(lines.at(-1) ?? "");
  const shown = last ? lines.slice(0, -1) : lines;
  return {
    suggestions: shown.map(suggestionOf),
    directive: Number(last?.[1] ?? directive.default),
  };
}

function suggestionOf(line: string): Suggestion {
  const tab = line.indexOf("\t");
  return tab < 0 ? { word: line } : { word: line.slice(0, tab), description: line.slice(tab + 1) };
}
