/** Upstream: k8s.io/kubectl/pkg/util/templates, k8s.io/kubectl/pkg/cmd/cmd.go. */
import { type Flag, type FlagSet, typeOf } from "#/std/flags.ts";
import { type Command, type CommandEntry, nameOf } from "./command.ts";

/** A command and those above it, the root first. */
export type CommandChain = readonly Command[];

/** A title and the commands below it. */
export interface CommandGroup<E = Pick<CommandEntry, "name" | "summary" | "hidden">> {
  readonly title: string;
  readonly commands: readonly E[];
  /** Whether they are kubectl's own, whose names are as wide as the widest; default true. */
  readonly areOwn?: boolean;
}

/** The names of a command and those above it. */
export function commandPath(chain: CommandChain): string {
  return chain.map(nameOf).join(" ");
}

/** What `--help` prints of a command. */
export function helpText(chain: CommandChain, groups?: readonly CommandGroup[]): string {
  const command = chain.at(-1);
  if (command === undefined) return "";
  return `${command.description.trim()}\n\n${usageText(chain, groups)}`;
}

/** The help of a command without its description. */
export function usageText(chain: CommandChain, groups?: readonly CommandGroup[]): string {
  const command = chain.at(-1);
  if (command === undefined) return "";
  const isRoot = chain.length === 1;
  const sections = [
    section("Aliases:", aliasesText(command)),
    section("Examples:", examplesText(command)),
    command.subcommands ? `${groupsText(command, groups)}\n\n` : "",
    section("Options:", isRoot ? "" : flagsText(command.flags).trimEnd()),
    section("Usage:", `  ${usageLine(chain)}`),
  ];
  const path = commandPath(chain);
  const tips = [
    ...(command.subcommands
      ? [`Use "${path} <command> --help" for more information about a given command.\n`]
      : []),
    `Use "kubectl options" for a list of global command-line options (applies to all commands).\n`,
  ];
  return sections.join("") + tips.join("");
}

/** Flags as help lists them: sorted, each with its default. */
export function flagsText(flags: FlagSet): string {
  return Object.entries(flags)
    .filter(([, flag]) => !flag.hidden && flag.deprecated === undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => `${flagHead(name, flag)}\n\t${flag.help.replaceAll("`", "")}\n\n`)
    .join("");
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

function examplesText({ examples = [] }: Command): string {
  return examples
    .map(([purpose, line]) => `  # ${purpose}\n  ${line.replaceAll("\n", "\n  ")}`)
    .join("\n  \n");
}

/** Names are padded to this at least. */
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
