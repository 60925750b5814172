import { userKubectl } from "../access/kubectl.ts";
import { command } from "../command-line/command.ts";
import {
  type CompletedCommand,
  type Completion,
  completeArguments,
  completeCommand,
} from "../command-line/complete.ts";
import type { ListedCommand } from "../command-line/overview.ts";
import { parts } from "../parts/index.ts";
import { runtimeProgramNames } from "../runtimes/index.ts";
import { clustersHere } from "./list.ts";

/** `k8ts completion SHELL`: kubectl's script, which calls the program of its own name. */
export const main = command({
  name: "completion",
  description: `Prints a script that makes a shell complete command lines of k8ts, those of \`k8ts kubectl\`
included.`,
  arguments: ["bash|zsh|fish"],
  examples: [
    ["In this bash", "completion bash >/tmp/k8ts.bash && . /tmp/k8ts.bash"],
    ["In every bash", "completion bash >/etc/bash_completion.d/k8ts"],
    ["In every fish", "completion fish >~/.config/fish/completions/k8ts.fish"],
  ],
  flags: {},
  async run({ args: [shell = ""] }) {
    const { code, out, err } = await userKubectl(["completion", shell]);
    process.stdout.write(out.replaceAll("kubectl", "k8ts"));
    process.stderr.write(err.replaceAll("kubectl", "k8ts"));
    return code;
  },
});

/** A command with a declaration. */
export interface CompletableCommand extends ListedCommand {
  /** Whether kubectl has the command, so that it completes it. */
  readonly isOfKubectl?: boolean;
  readonly load: () => Promise<{ main: unknown }>;
}

/** Directives for a shell without suggestions, as in kubectl's scripts. */
const directives = { files: ":0", noFiles: ":4" };

/** `k8ts __complete WORD...`: suggestions for the last word. */
export async function complete(
  commands: readonly CompletableCommand[],
  words: readonly string[],
): Promise<number> {
  const [name = "", ...rest] = words;
  if (name === "kubectl" && rest.length > 0) {
    const { main: kubectl } = await import("#/kubectl/run.ts");
    return await kubectl(["__complete", ...rest]);
  }
  if (rest.length > 0 && commands.some((one) => one.name === name && one.isOfKubectl)) {
    const { main: kubectl } = await import("#/kubectl/run.ts");
    return await kubectl(["__complete", ...words]);
  }
  const { suggestions, files } = await completionOf(commands, words);
  const lines = suggestions.map(([word, text]) => (text ? `${word}\t${text}` : word));
  process.stdout.write(`${[...lines, files ? directives.files : directives.noFiles].join("\n")}\n`);
  return 0;
}

async function completionOf(
  commands: readonly CompletableCommand[],
  words: readonly string[],
): Promise<Completion> {
  const [name = "", ...rest] = words;
  if (rest.length === 0) return completeCommand(commands, name);
  if (name === "help") return completeCommand(commands, rest[0] ?? "");
  const found = commands.find((candidate) => candidate.name === name);
  const declaration = declarationOf((await found?.load())?.main);
  if (!declaration) return { suggestions: [], files: true };
  return completeArguments(declaration, rest, {
    clusters: () => clustersHere().map(({ settings }) => settings.name),
    components: () => [
      "server",
      "agent",
      ...runtimeProgramNames,
      ...parts.map((part) => part.name),
    ],
  });
}

/** Commands that command() has made carry their declaration; components do not. */
function declarationOf(main: unknown): CompletedCommand | undefined {
  return (main as { readonly declaration?: CompletedCommand } | undefined)?.declaration;
}
