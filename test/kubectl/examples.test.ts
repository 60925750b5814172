import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Command, CommandEntry } from "#/kubectl/command/command.ts";
import { findCommand, persistentFlags } from "#/kubectl/command/find-command.ts";
import { globalFlags } from "#/kubectl/command/global-flags.ts";
import { commands } from "#/kubectl/commands/index.ts";
import { readCommandText } from "#/kubectl/help/command-text.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { shellPipelines } from "./shell-commands.ts";

const root: Command = {
  usage: "kubectl",
  flags: {},
  persistentFlags: globalFlags,
  subcommands: commands,
  run: () => undefined,
};

interface HelpPage {
  readonly names: readonly string[];
  readonly summary: string;
  readonly command: Command;
}

async function pagesBelow(entry: CommandEntry, above: readonly string[]): Promise<HelpPage[]> {
  const command = await entry.load();
  const names = [...above, entry.name];
  const below = (command.subcommands ?? []).map((each) => pagesBelow(each, names));
  return [{ names, summary: entry.summary, command }, ...(await Promise.all(below)).flat()];
}

const pages = (await Promise.all(commands.map((entry) => pagesBelow(entry, [])))).flat();

/** Parses a command line; throws if it is invalid. */
async function readLine(words: readonly string[]): Promise<{ command: Command; path: string }> {
  const found = await findCommand(root, words);
  const command = found.chain.at(-1) ?? root;
  const path = found.chain.map(({ usage }) => usage.split(" ", 1)[0]).join(" ");
  const flags = { ...persistentFlags(found.chain), ...command.flags };
  const parsed = parseFlags(flags, found.args, { interspersed: command.interspersed ?? true });
  command.argumentRule?.(parsed.args, path);
  const missing = (command.requiredFlags ?? []).filter((name) => !parsed.changed.has(name));
  assert.deepEqual(missing, [], "required flags");
  assert.ok(found.chain.length > 1, `${words[0]} is no command`);
  const isGroup = command.subcommands !== undefined && command.requiredFlags === undefined;
  if (isGroup && !("filename" in command.flags)) assert.deepEqual(parsed.args, []);
  return { command, path };
}

describe("every command has a help of its own", () => {
  for (const { names, summary, command } of pages) {
    test(names.join(" "), () => {
      const { description } = readCommandText(names);
      assert.match(summary, /^\S.{4,}\S$/);
      assert.match(description, /^[\w"].{10,}/s);
      assert.notEqual(description, `${summary}.`);
      const texts = Object.entries(command.flags).filter(([, { hidden }]) => !hidden);
      for (const [flag, { help }] of texts) assert.match(help, /^\S.{4,}\S$/, `--${flag}`);
    });
  }
});

describe("every example is a valid command line", () => {
  for (const { names } of pages) {
    const { examples } = readCommandText(names);
    const lines = shellPipelines(examples).flat();
    const ours = lines.filter(([program]) => program === "kubectl");
    if (examples === "") continue;
    test(names.join(" "), async () => {
      const paths = await Promise.all(
        ours.map(async ([, ...words]) => {
          try {
            return (await readLine(words)).path;
          } catch (error) {
            throw new Error(`kubectl ${words.join(" ")}`, { cause: error });
          }
        }),
      );
      const own = ["kubectl", ...names].join(" ");
      assert.ok(
        paths.some((path) => path === own || path.startsWith(`${own} `)),
        "no example is of this command",
      );
    });
  }
});
