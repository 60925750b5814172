/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/rollout/rollout_{pause,resume,restart}.go,
 * staging/src/k8s.io/kubectl/pkg/polymorphichelpers.
 */
import { createStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, Errors, messageOf } from "../../base/errors.ts";
import { typedForm } from "../../base/typed-form.ts";
import { fieldAt, kindOf, setFieldAt, type Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { fieldManagerFlag } from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { checkObjects, objectBuilder, objectFlags } from "./rollout-objects.ts";

const flags = {
  ...printFlags,
  ...objectFlags,
  ...fieldManagerFlag("kubectl-rollout"),
} satisfies FlagSet;

type ChangeInvocation = Invocation<typeof flags>;

/** The change of a subcommand. */
interface Change {
  /** The operation: `paused`. */
  readonly done: string;
  /** Throws if the object can't be changed. */
  readonly change: (object: Unstructured, context: Context) => void;
}

const pause: Change = {
  done: "paused",
  change: (object) => {
    if (groupKind(object) !== "apps/Deployment") throw new CommandError("pausing is not supported");
    if (fieldAt(object, "spec", "paused") === true) throw new CommandError("is already paused");
    setFieldAt(object, ["spec", "paused"], true);
  },
};

const resume: Change = {
  done: "resumed",
  change: (object) => {
    if (groupKind(object) !== "apps/Deployment")
      throw new CommandError("resuming is not supported");
    if (fieldAt(object, "spec", "paused") !== true) throw new CommandError("is not paused");
    setFieldAt(object, ["spec", "paused"], false);
  },
};

const restart: Change = {
  done: "restarted",
  change: (object, context) => {
    const id = groupKind(object);
    if (!["apps/Deployment", "apps/DaemonSet", "apps/StatefulSet"].includes(id)) {
      throw new CommandError("restarting is not supported");
    }
    if (id === "apps/Deployment" && fieldAt(object, "spec", "paused") === true) {
      throw new CommandError("can't restart paused deployment (run rollout resume first)");
    }
    const path = ["spec", "template", "metadata", "annotations"];
    const old = (fieldAt(object, ...path) ?? {}) as Record<string, string>;
    setFieldAt(object, path, {
      ...old,
      "kubectl.kubernetes.io/restartedAt": formatTime(context.clock.now()),
    });
  },
};

/** `kubectl rollout pause`. */
export const rolloutPause = command({
  usage: "pause RESOURCE",
  flags,
  completes: { of: "resources", types: ["deployment"] },
  run: (invocation: ChangeInvocation, context) => run(invocation, context, pause),
});

/** `kubectl rollout resume`. */
export const rolloutResume = command({
  usage: "resume RESOURCE",
  flags,
  completes: { of: "resources", types: ["deployment"] },
  run: (invocation: ChangeInvocation, context) => run(invocation, context, resume),
});

/** `kubectl rollout restart`. */
export const rolloutRestart = command({
  usage: "restart RESOURCE",
  flags,
  completes: { of: "resources", types: ["deployment", "daemonset", "statefulset"] },
  run: (invocation: ChangeInvocation, context) => run(invocation, context, restart),
});

const groupKind = (object: Unstructured): string => {
  const { group, kind } = kindOf(object);
  return `${group}/${kind}`;
};

async function run(
  { flags, args }: ChangeInvocation,
  context: Context,
  change: Change,
): Promise<void> {
  checkObjects(args, flags);
  const { builder, namespace } = await objectBuilder(args, flags, context);
  const { infos, error } = await builder.tryInfos();
  if (infos.length === 0 && error === undefined) {
    context.err.write(`No resources found in ${namespace} namespace.\n`);
    return;
  }
  const printer = toPrinter(flags, context, { operation: change.done });
  const errors: unknown[] = error === undefined ? [] : [error];
  for (const info of infos) {
    try {
      printer.print(await changeOne(info, change, flags["field-manager"], context), context.out);
    } catch (problem) {
      errors.push(problem);
    }
  }
  if (errors.length > 0) throw new Errors(errors);
}

async function changeOne(
  info: ResourceInfo,
  { change }: Change,
  fieldManager: string,
  context: Context,
): Promise<Unstructured> {
  const before = typedForm(info.object ?? {});
  const after = structuredClone(before);
  try {
    change(after, context);
  } catch (error) {
    const { group, name } = info.mapping;
    const resource = group === "" ? name : `${name}.${group}`;
    throw new CommandError(`error: ${resource} ${goQuote(info.name)} ${messageOf(error)}`);
  }
  const { group, version, kind } = kindOf(before);
  const schema = findSchema(group, version, kind);
  const patch = schema
    ? createStrategicMergePatch(schema, { original: before, modified: typedForm(after) })
    : {};
  if (Object.keys(patch).length === 0) {
    throw new CommandError(
      `failed to create patch for ${info.name}: if restart has already been triggered within the past second, please wait before attempting to trigger another`,
    );
  }
  const client = await context.cluster.client();
  try {
    return await client.patch(info.mapping, info.ref(), patch, { type: "strategic", fieldManager });
  } catch (error) {
    throw new CommandError(`failed to patch: ${messageOf(error)}`, { cause: error });
  }
}
