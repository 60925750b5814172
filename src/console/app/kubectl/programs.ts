import type { Kubectl } from "./load-kubectl.ts";
import { type PageTerminal, type ProgramStreams, pageHost } from "./page-host.ts";
import { ToolError, textTools } from "./text-tools.ts";

/** Where relative names of files start from. */
const folder = "/home";

/** Commands of kubectl that need more than a page has, and what to use. */
const elsewhere: Readonly<Record<string, string>> = {
  cp: "a page has no files of your computer",
  diff: "it runs the program diff: the YAML tab of an object shows what a change would do",
  edit: "it runs an editor: use the YAML tab of the object",
  plugin: "plugins are programs of your computer",
  "port-forward": "a page cannot listen on a port: run it in a terminal of your own",
  proxy: "a page cannot listen on a port: run it in a terminal of your own",
};

/** Names under which kubectl is called. */
const kubectlNames = ["kubectl", "k"];

export const programNames = [
  ...kubectlNames,
  ...Object.keys(textTools),
  "clear",
  "help",
  "history",
];

export const isKubectl = (name: string): boolean => kubectlNames.includes(name);

interface ProgramOptions {
  readonly streams: ProgramStreams;
  readonly terminal: PageTerminal;
  readonly kubectl: Kubectl;
}

/** Runs a program of the page; returns its exit code. */
export async function runProgram(
  [name = "", ...args]: readonly string[],
  { streams, terminal, kubectl }: ProgramOptions,
): Promise<number> {
  const fail = (text: string, code: number) => {
    streams.writeError(`${name}: ${text}\n`);
    return code;
  };
  if (isKubectl(name)) {
    const command = args.find((arg) => !arg.startsWith("-")) ?? "";
    const reason = Object.hasOwn(elsewhere, command) ? elsewhere[command] : undefined;
    if (reason !== undefined && !args.includes("--help") && !args.includes("-h")) {
      return fail(`${command} does not work in a page: ${reason}`, 1);
    }
    const host = pageHost({ streams, terminal, folder, clock: kubectl.clock });
    return kubectl.run(args, host);
  }
  const tool = Object.hasOwn(textTools, name) ? textTools[name] : undefined;
  if (!tool)
    return fail("command not found. This terminal has kubectl and some tools: see help", 127);
  try {
    return await tool(args, { folder, input: streams.input, write: (text) => streams.write(text) });
  } catch (error) {
    const isExpected = error instanceof ToolError || "code" in (error as object);
    if (!isExpected) throw error;
    return fail((error as Error).message, 2);
  }
}
