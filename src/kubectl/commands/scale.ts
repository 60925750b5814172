/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/scale/scale.go, staging/src/k8s.io/kubectl/pkg/scale/scale.go. */

import type { Scale } from "#/api/autoscaling/v1.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import { kindOf, setFieldAt } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { recordPatch } from "../command/record-change.ts";
import {
  dryRunFlag,
  dryRunOf,
  filenameFlags,
  recordFlag,
  selectorFlag,
} from "../command/shared-flags.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...dryRunFlag,
  ...selectorFlag,
  ...recordFlag,
  all: { type: "bool", help: "All objects of the given types in the namespace" },
  "resource-version": {
    type: "string",
    help: "Condition: the object must have this resource version",
  },
  "current-replicas": {
    type: "int",
    default: -1,
    help: "Condition: the object must have this size now. -1 (the default) for any size",
  },
  replicas: { type: "int", help: "New number of Pods. Required" },
  timeout: {
    type: "duration",
    help:
      "How long to wait until the new size is reached, with a unit (1s, 2m, 3h). Zero means " +
      "not to wait",
  },
} satisfies FlagSet;

type ScaleInvocation = Invocation<typeof flags>;

const retryMs = 1000;
const retryTimeoutMs = 5 * 60 * 1000;

/** `kubectl scale`. */
export const scale = command({
  usage:
    "scale [--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
  flags,
  completes: {
    of: "resources",
    types: ["deployment", "replicaset", "replicationcontroller", "statefulset"],
  },
  requiredFlags: ["replicas"],
  run,
});

async function run({ flags, args }: ScaleInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const printer = toPrinter(flags, context, { operation: "scaled", dryRun });
  const chosen = await context.cluster.namespace();
  if (flags.replicas < 0) {
    throw new CommandError(
      "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
    );
  }
  if (flags["current-replicas"] < -1) {
    throw new CommandError("The --current-replicas must specify an integer of -1 or greater");
  }
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    args,
    allowEmptySelector: flags.all,
    selector: flags.selector,
    continueOnError: true,
    flatten: true,
  });
  const { infos, error } = await builder.tryInfos();
  if (flags["resource-version"] !== "" && infos.length > 1) {
    throw new CommandError("cannot use --resource-version with multiple resources");
  }
  if (infos.length === 0) throw error ?? new CommandError("no objects passed to scale");
  for (const info of infos) {
    const size =
      dryRun === "client" ? flags.replicas : await scaleOne({ flags, dryRun }, info, context);
    const { group } = kindOf(info.object ?? {});
    if (info.object && (group === "" || group === "apps"))
      setFieldAt(info.object, ["spec", "replicas"], size);
    if (dryRun !== "client") await recordScale(info, flags, context);
    printer.print(info.object ?? {}, context.out);
  }
  if (error !== undefined) throw error;
}

/** Records the command for --record; a failure to record is ignored. */
async function recordScale(
  info: ResourceInfo,
  flags: ScaleInvocation["flags"],
  context: Context,
): Promise<void> {
  const patch = recordPatch(info.object ?? {}, flags, context);
  if (!patch) return;
  const client = await context.cluster.client();
  await client.patch(info.mapping, info.ref(), patch, { type: "merge" }).catch(() => undefined);
}

interface Scaling {
  readonly flags: ScaleInvocation["flags"];
  readonly dryRun: DryRun;
}

async function scaleOne(scaling: Scaling, info: ResourceInfo, context: Context): Promise<number> {
  const end = context.clock.monotonicMs() + retryTimeoutMs;
  let size: number;
  for (;;) {
    try {
      size = await setScale(scaling, info, context);
      break;
    } catch (error) {
      if (!isConflict(error) || context.clock.monotonicMs() > end) throw error;
      await context.clock.sleep(retryMs, context.signal);
    }
  }
  if (scaling.flags.timeout !== 0 && scaling.dryRun === "none")
    await untilScaled(scaling, info, context);
  return size;
}

async function setScale(
  { flags, dryRun }: Scaling,
  info: ResourceInfo,
  context: Context,
): Promise<number> {
  const client = await context.cluster.client();
  const { mapping } = info;
  const options = { dryRun: dryRun === "server" };
  const hasCondition = flags["current-replicas"] !== -1 || flags["resource-version"] !== "";
  if (!hasCondition) {
    const patch = { spec: { replicas: flags.replicas } };
    const answer = await client.patch(mapping, info.ref(), patch, {
      ...options,
      type: "merge",
      subresource: "scale",
    });
    return (answer as unknown as Scale).spec?.replicas ?? 0;
  }
  const current = await client.getSubresource<Scale>(mapping, info.ref(), "scale");
  check(flags, current);
  const wanted = { ...current, spec: { ...current.spec, replicas: flags.replicas } };
  const updated = await client.updateSubresource<Scale>(
    mapping,
    info.ref(),
    "scale",
    wanted,
    options,
  );
  return updated.spec?.replicas ?? 0;
}

function check(flags: ScaleInvocation["flags"], { spec, metadata }: Scale): void {
  const size = flags["current-replicas"];
  const actual = spec?.replicas ?? 0;
  if (size !== -1 && actual !== size) {
    throw new CommandError(`Expected replicas to be ${size}, was ${actual}`);
  }
  const version = flags["resource-version"];
  if (version !== "" && metadata?.resourceVersion !== version) {
    throw new CommandError(
      `Expected resource version to be ${version}, was ${metadata?.resourceVersion}`,
    );
  }
}

async function untilScaled(
  { flags }: Scaling,
  info: ResourceInfo,
  context: Context,
): Promise<void> {
  const client = await context.cluster.client();
  const end = context.clock.monotonicMs() + flags.timeout;
  for (;;) {
    const { spec, status } = await client.getSubresource<Scale>(info.mapping, info.ref(), "scale");
    const wanted = spec?.replicas ?? 0;
    if (wanted !== flags.replicas || (status?.replicas ?? 0) === wanted) return;
    if (context.clock.monotonicMs() + retryMs > end) {
      throw new CommandError(`timed out waiting for ${goQuote(info.name)} to be synced`);
    }
    await context.clock.sleep(retryMs, context.signal);
  }
}
