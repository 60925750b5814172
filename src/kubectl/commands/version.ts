/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/version. */
import { PortError } from "#/client/kubeconfig/server-url.ts";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../base/errors.ts";
import { ownVersion, serverVersion, type VersionInfo } from "../base/version-info.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";

const flags = {
  client: { type: "bool", help: "Print the version of kubectl only; this needs no server" },
  output: { type: "string", shorthand: "o", help: "Output format. One of 'yaml' or 'json'" },
} satisfies FlagSet;

type VersionInvocation = Invocation<typeof flags>;

/** The version of kustomize that `-k` implements. */
const kustomizeVersion = "v5.8.1";

/** Limit of the difference between client and server (minor versions). */
const supportedSkew = 1;

/** `kubectl version`. */
export const version = command({
  usage: "version",
  flags,
  showsFlagsInUsage: true,
  run,
});

async function run({ flags, args }: VersionInvocation, context: Context): Promise<void> {
  const { output } = flags;
  if (!flags.client) await context.cluster.selected();
  if (args.length > 0 && !flags.client)
    throw new CommandError(`extra arguments: [${args.join(" ")}]`);
  if (output !== "" && output !== "yaml" && output !== "json") {
    throw new CommandError("--output must be 'yaml' or 'json'");
  }
  const clientVersion = ownVersion();
  const server = flags.client ? {} : await askServer(context);
  const { serverVersion: found, failure } = server;
  const all = { clientVersion, kustomizeVersion, ...(found ? { serverVersion: found } : {}) };
  if (output === "yaml") context.out.write(`${writeYaml(all)}\n`);
  else if (output === "json") context.out.write(`${goJson(all, "  ")}\n`);
  else {
    context.out.write(`Client Version: ${clientVersion.gitVersion}\n`);
    context.out.write(`Kustomize Version: ${kustomizeVersion}\n`);
    if (found) context.out.write(`Server Version: ${found.gitVersion}\n`);
  }
  if (found) warnOfSkew(clientVersion, found, context);
  if (failure !== undefined) throw failure;
}

async function askServer(
  context: Context,
): Promise<{ serverVersion?: VersionInfo; failure?: unknown }> {
  try {
    const client = await context.cluster.client();
    try {
      return { serverVersion: await serverVersion(client) };
    } catch (failure) {
      return { failure };
    }
  } catch (failure) {
    if (failure instanceof PortError) return { failure };
    throw failure;
  }
}

function warnOfSkew(client: VersionInfo, server: VersionInfo, context: Context): void {
  const numbers = ({ gitVersion }: VersionInfo): string =>
    gitVersion.replace(/^v(\d+\.\d+).*/, "$1");
  const [clientMinor, serverMinor] = [client, server].map((each) =>
    Number(numbers(each).split(".")[1]),
  );
  if (Math.abs((clientMinor ?? 0) - (serverMinor ?? 0)) <= supportedSkew) return;
  const text = `version difference between client (${numbers(client)}) and server (${numbers(server)}) exceeds the supported minor version skew of +/-${supportedSkew}`;
  if (context.global["warnings-as-errors"]) throw new CommandError(text);
  context.err.write(`Warning: ${text}\n`);
}
