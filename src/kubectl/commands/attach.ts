import type { Pod } from "#/api/core/v1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { attachTo, refuseToAttach } from "../actions/attach-to-pod.ts";
import { attachablePod } from "../actions/exec-in-pod.ts";
import { CommandError, usageError } from "../base/errors.ts";
import type { Invocation } from "../command/command.ts";
import { command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { containerFlag, streamFlags } from "../command/shared-flags.ts";
import { ResourceBuilder } from "../resource/builder.ts";

const flags = {
  ...containerFlag,
  ...streamFlags,
  "detach-keys": {
    type: "string",
    default: "ctrl-p,ctrl-q",
    help:
      "Keys that end the connection and leave the container running: a letter, or ctrl- and " +
      "one of a-z, @, [, \\, ], ^ or _; several are separated by commas",
  },
} satisfies FlagSet;

type AttachInvocation = Invocation<typeof flags>;

/** `kubectl attach`. */
export const attach = command({
  usage: "attach (POD | TYPE/NAME) -c CONTAINER",
  flags,
  completes: { of: "pod" },
  run,
});

async function run({ flags, args }: AttachInvocation, context: Context): Promise<void> {
  if (flags["pod-running-timeout"] <= 0) {
    throw usageError(context, "--pod-running-timeout must be higher than zero");
  }
  if (args.length === 0) throw new CommandError("at least 1 argument is required for attach");
  if (args.length > 2) {
    throw new CommandError(
      `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${args.length}: [${args.join(" ")}]`,
    );
  }
  const pod = await findPod(args, flags["pod-running-timeout"], context);
  refuseToAttach(pod);
  await attachTo(context, pod, flags);
}

async function findPod(args: readonly string[], timeoutMs: number, context: Context): Promise<Pod> {
  const { namespace } = await context.cluster.namespace();
  const [first = "", second] = args;
  const resourceNames =
    second === undefined ? { type: "pods", names: [first] } : { type: first, names: [second] };
  const [info] = await new ResourceBuilder(context, { namespace, resourceNames }).infos();
  return attachablePod(context, info?.object ?? {}, timeoutMs);
}
