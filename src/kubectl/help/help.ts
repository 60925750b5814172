/** Upstream: staging/src/k8s.io/kubectl/pkg/util/templates, staging/src/k8s.io/kubectl/pkg/cmd/cmd.go. */
import { type Flag, type FlagSet, typeOf } from "#/std/flags/flags.ts";
import { wrapWords } from "#/std/text/wrap-words.ts";
import type { Output } from "../base/host.ts";
import {
  type Command,
  type CommandChain,
  type CommandEntry,
  commandPath,
  nameOf,
} from "../command/command.ts";
import { readCommandText } from "./command-text.ts";
import type { CommandText } from "./parse-command-text.ts";

/** A title and the commands below it. */
export interface CommandGroup<E = Pick<CommandEntry, "name" | "summary" | "hidden">> {
  readonly title: string;
  readonly commands: readonly E[];
  /** True if they are kubectl's own: names are padded to the widest; default true. */
  readonly areOwn?: boolean;
}

/** Options for printing help. */
export interface HelpLayout {
  /** The groups of kubectl's own help; other commands have one list. */
  readonly groups?: readonly CommandGroup[] | undefined;
  /** Width of lines (columns); 0 for no line breaks. */
  readonly lineLimit?: number | undefined;
}

/** Widths (columns) that text is wrapped to, the widest first. For narrower terminals lines are not wrapped. */
const lineLimits = [120, 100, 80] as const;

/** Width of lines on an output: 0 unless it is a terminal. */
export function lineLimitOf({ isTerminal, columns }: Output): number {
  return isTerminal ? (lineLimits.find((limit) => columns >= limit) ?? 0) : 0;
}

/** The output of `--help` for a command. */
export function helpText(chain: CommandChain, layout: HelpLayout = {}): string {
  const { description } = textOf(chain);
  return `${wrapped(description, layout.lineLimit)}\n\n${usageText(chain, layout)}`;
}

/** The help of a command without its description. */
export function usageText(chain: CommandChain, layout: HelpLayout = {}): string {
  const command = chain.at(-1);
  if (command === undefined) return "";
  const { groups, lineLimit } = layout;
  const isRoot = chain.length === 1;
  const sections = [
    section("Aliases:", aliasesText(command)),
    section("Examples:", textOf(chain).examples),
    command.subcommands ? `${groupsText(command, groups)}\n\n` : "",
    section("Options:", isRoot ? "" : flagsText(command.flags, lineLimit).trimEnd()),
    section("Usage:", `  ${usageLine(chain)}`),
  ];
  const path = commandPath(chain);
  const tips = [
    ...(command.subcommands
      ? [`Use "${path} <command> --help" for more information about a given command.\n`]
      : []),
    `Use "kubectl options" for a list of global command-line options (applies to all commands).\n`,
  ];
  return wrapped(sections.join("") + tips.join(""), lineLimit);
}

function textOf(chain: CommandChain): CommandText {
  return readCommandText(chain.at(-1)?.textOf ?? chain.slice(1).map(nameOf));
}

/** Columns reserved beside the texts of flags, e.g. for the tab before them. */
const flagMargin = 10;

/** Flags in the help: sorted, each with its default. */
export function flagsText(flags: FlagSet, lineLimit = 0): string {
  const flagLimit = Math.max(0, lineLimit - flagMargin);
  return Object.entries(flags)
    .filter(([, flag]) => !flag.hidden && flag.deprecated === undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => {
      const text = wrapped(flag.help.replaceAll("`", ""), flagLimit).replaceAll("\n", "\n\t");
      return `${flagHead(name, flag)}\n\t${text}\n\n`;
    })
    .join("");
}

function wrapped(text: string, lineLimit = 0): string {
  return lineLimit === 0 ? text : wrapWords(text, lineLimit);
}

function flagHead(name: string, flag: Flag): string {
  const short = flag.shorthand === undefined ? "" : `-${flag.shorthand}, `;
  const text = defaultText(flag);
  return `    ${short}--${name}=${flag.type === "string" ? `'${text}'` : text}:`;
}

function defaultText(flag: Flag): string {
  const type = typeOf(flag);
  return type.format(flag.default ?? type.zero);
}

function section(title: string, text: string): string {
  return text === "" ? "" : `${title}\n${text}\n\n`;
}

function aliasesText(command: Command): string {
  const { aliases = [] } = command;
  return aliases.length === 0 ? "" : [nameOf(command), ...aliases].join(", ");
}

/** Least width (columns) of names. */
const leastWidth = 11;

function groupsText(command: Command, groups: readonly CommandGroup[] | undefined): string {
  const all = command.subcommands ?? [];
  const widest = Math.max(leastWidth, ...all.map(({ name }) => name.length));
  const shown = groups ?? [{ title: "Available Commands:", commands: sorted(all) }];
  return shown
    .map(({ title, commands, areOwn = true }) => {
      const width = areOwn ? widest : leastWidth;
      const lines = commands
        .filter(({ hidden, name }) => !hidden && name !== "options")
        .map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}`);
      return [title, ...lines].join("\n");
    })
    .join("\n\n");
}

function sorted(entries: readonly CommandEntry[]): CommandEntry[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function usageLine(chain: CommandChain): string {
  const command = chain.at(-1);
  const parents = commandPath(chain.slice(0, -1));
  const line = `${parents === "" ? "" : `${parents} `}${command?.usage ?? ""}`;
  const flagged =
    command?.showsFlagsInUsage && !line.includes("[flags]") ? `${line} [flags]` : line;
  return flagged.includes("[options]") ? flagged : `${flagged} [options]`;
}
