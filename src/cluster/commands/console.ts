import { createInterface } from "node:readline";
import { type OpenedConsole, openConsole } from "#/console/run.ts";
import { aborted } from "#/std/async/aborted.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { command } from "../command-line/command.ts";

const consoleFlags = {
  port: {
    type: "int",
    default: 0,
    help: "The `port` of 127.0.0.1; any free one if not given.",
  },
  context: {
    type: "string",
    help: "The `context` of the kubeconfig; the current one if not given.",
  },
  kubeconfig: {
    type: "string",
    help: "The kubeconfig `file`; as for kubectl if not given.",
  },
} as const;

/** `k8ts console`: the web console for the cluster of a kubeconfig. */
export const main = command({
  name: "console",
  description: `Opens a web console for the cluster of your kubeconfig, be it of k8ts or any other Kubernetes. It is
served to this machine only, and acts as you: it shows and does what kubectl could. Open the link that it prints; each
link works once.`,
  examples: [
    ["Open the console of the current context", "console"],
    [
      "Open that of another cluster, at a port of your choice",
      "console --context staging --port 8100",
    ],
  ],
  flags: consoleFlags,
  async run({ values }) {
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
    await using opened = await openConsole(values).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFailure(failureOf(error, values.port), { cause: error });
    });
    printLink(opened);
    const lines = createInterface({ input: process.stdin });
    lines.on("line", () => printLink(opened));
    await aborted(stop.signal);
    lines.close();
    return 0;
  },
});

function failureOf(error: NodeJS.ErrnoException, port: number): string {
  if (error.code === "EADDRINUSE") return `port ${port} is in use: choose another with --port`;
  if (error.code === "EACCES") return `port ${port} may not be used: choose one above 1023`;
  return error.message;
}

function printLink({ server, context }: OpenedConsole): void {
  const cluster = context === "" ? "" : ` of ${context}`;
  process.stdout.write(`The console${cluster}, once:\n\n  ${server.newLink()}\n\n`);
  process.stdout.write("It runs until Ctrl-C. Press Enter for another link.\n");
}
