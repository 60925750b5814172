import type { Pod } from "#/api/core/v1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { attachablePod, execIn, refuseFinished, targetContainer } from "../actions/exec-in-pod.ts";
import { CommandError, usageError } from "../base/errors.ts";
import { isList } from "../base/unstructured.ts";
import type { Invocation } from "../command/command.ts";
import { command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { containerFlag, filenameFlags, streamFlags } from "../command/shared-flags.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";

const flags = {
  ...containerFlag,
  filename: filenameFlags.filename,
  ...streamFlags,
} satisfies FlagSet;

type ExecInvocation = Invocation<typeof flags>;

/** `kubectl exec`. */
export const exec = command({
  usage: "exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
  flags,
  completes: { of: "pod" },
  completesFlags: { container: { of: "container" } },
  run,
});

async function run(invocation: ExecInvocation, context: Context): Promise<void> {
  const { flags } = invocation;
  const { resource, words } = readArguments(invocation, context);
  if (flags["pod-running-timeout"] <= 0) {
    throw usageError(context, "--pod-running-timeout must be higher than zero");
  }
  if (resource === "" && flags.filename.length === 0) {
    throw new CommandError("pod, type/name or --filename must be specified");
  }
  if (words.length === 0) {
    throw new CommandError("you must specify at least one command for the container");
  }
  const pod = await findPod(invocation, resource, context);
  refuseFinished(pod);
  const container = targetContainer(flags, pod, context);
  await execIn(context, {
    pod,
    container,
    words,
    stdin: flags.stdin,
    tty: flags.tty,
    quiet: flags.quiet,
  });
}

function readArguments(
  { flags, args, argsBeforeDash }: ExecInvocation,
  context: Context,
): { resource: string; words: readonly string[] } {
  const resource = args.length > 0 && argsBeforeDash !== 0 ? (args[0] ?? "") : "";
  if (argsBeforeDash === 0 || argsBeforeDash === 1) {
    return { resource, words: args.slice(argsBeforeDash) };
  }
  if (args.length > 1 || (args.length > 0 && flags.filename.length > 0)) {
    throw usageError(
      context,
      "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
    );
  }
  return { resource, words: [] };
}

async function findPod(
  { flags }: ExecInvocation,
  resource: string,
  context: Context,
): Promise<Pod> {
  const chosen = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    ...(resource === "" ? {} : { resourceNames: { type: "pods", names: [resource] } }),
  });
  const infos = await builder.infos();
  const [info] = infos;
  if (infos.length !== 1 || info?.object === undefined || isList(info.object)) {
    throw new CommandError("cannot exec into multiple objects at a time");
  }
  return attachablePod(context, info.object, flags["pod-running-timeout"]);
}
