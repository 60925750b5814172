/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/rollout/rollout_undo.go,
 * staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go.
 */
import { isDeepStrictEqual } from "node:util";
import type { ControllerRevision, Deployment, ReplicaSet } from "#/api/apps/v1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { findNewReplicaSet, templateHashLabel } from "../../actions/replica-sets.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { fieldAt } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { lastAppliedAnnotation } from "../../command/last-applied.ts";
import { dryRunFlag, dryRunOf } from "../../command/shared-flags.ts";
import { type DryRun, printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { type Revision, revisionAnnotation, revisionsOf, templateText } from "./revisions.ts";
import { checkObjects, objectBuilder, objectFlags } from "./rollout-objects.ts";

const flags = {
  ...printFlags,
  ...objectFlags,
  ...dryRunFlag,
  "to-revision": {
    type: "int",
    help: "Revision to go back to. The default is 0, the one before the present",
  },
} satisfies FlagSet;

type UndoInvocation = Invocation<typeof flags>;

/** `kubectl rollout undo`. */
export const rolloutUndo = command({
  usage: "undo (TYPE NAME | TYPE/NAME) [flags]",
  flags,
  completes: { of: "resources", types: ["deployment", "daemonset", "statefulset"] },
  run,
});

async function run({ flags, args }: UndoInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  checkObjects(args, flags);
  const { builder } = await objectBuilder(args, flags, context);
  await builder.visit(async (info) => {
    if (info.object?.metadata?.annotations?.[lastAppliedAnnotation] !== undefined) {
      context.err.write(appliedWarning(info.objectName()));
    }
    const operation = await rollBack(info, flags["to-revision"], dryRun, context);
    toPrinter(flags, context, { operation, dryRun }).print(info.object ?? {}, context.out);
  });
}

const appliedWarning = (name: string): string =>
  `Warning: resource ${name} was previously managed with 'kubectl apply'. ` +
  `Rolling back will not update the ${lastAppliedAnnotation} annotation, ` +
  "which may cause unexpected behavior on future 'kubectl apply' operations. " +
  "Consider using 'kubectl apply' with your previous configuration file instead.\n";

const missing = (number: number): CommandError =>
  new CommandError(`unable to find specified revision ${number} in history`);

/** Workloads without revisions; upstream's message for them differs from that for other kinds. */
const unrevised: ReadonlySet<string> = new Set([
  "Pod",
  "ReplicationController",
  "ReplicaSet.apps",
  "Job.batch",
  "CronJob.batch",
]);

function withoutRevisions(group: string, kind: string): CommandError {
  const name = group === "" ? kind : `${kind}.${group}`;
  if (unrevised.has(name)) {
    return new CommandError(`no rollbacker has been implemented for ${goQuote(name)}`);
  }
  return new CommandError(
    `error retrieving rollbacker for ${goQuote(name)}, no visitor method exists for {${group} ${kind}}`,
  );
}

/** The result of a rollback. */
async function rollBack(
  info: ResourceInfo,
  to: number,
  dryRun: DryRun,
  context: Context,
): Promise<string> {
  const { group, kind } = info.mapping;
  const revisions = await revisionsOf(info, context);
  if (!revisions) throw withoutRevisions(group, kind);
  if (to < 0) throw missing(to);
  const isDeployment = kind === "Deployment";
  const target = to === 0 ? revisions.at(-2) : revisions.find(({ number }) => number === to);
  if (!target) throw to === 0 ? nothingBefore(info, isDeployment) : missing(to);
  if (dryRun === "client") {
    const text = templateText(
      isDeployment ? (target.holder as ReplicaSet).spec?.template : target.template,
      context,
    );
    return isDeployment ? text : `will roll back to ${text}`;
  }
  if (isDeployment && fieldAt(info.object, "spec", "paused") === true) {
    throw new CommandError(
      "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
    );
  }
  if (matches(info, target, isDeployment)) {
    return `skipped rollback (current template already matches revision ${to})`;
  }
  await restore(info, target, { to, dryRun, isDeployment }, context);
  return "rolled back";
}

function nothingBefore({ name }: ResourceInfo, isDeployment: boolean): CommandError {
  if (isDeployment)
    return new CommandError(`no rollout history found for deployment ${goQuote(name)}`);
  return new CommandError("no last revision to roll back to");
}

function matches(
  info: ResourceInfo,
  { holder, template }: Revision,
  isDeployment: boolean,
): boolean {
  if (isDeployment) {
    return (
      findNewReplicaSet(info.object as unknown as Deployment, [holder as ReplicaSet]) !== undefined
    );
  }
  return isDeepStrictEqual(template, fieldAt(info.object, "spec", "template"));
}

interface Restoring {
  readonly to: number;
  readonly dryRun: DryRun;
  readonly isDeployment: boolean;
}

async function restore(
  info: ResourceInfo,
  { holder }: Revision,
  { to, dryRun, isDeployment }: Restoring,
  context: Context,
): Promise<void> {
  const client = await context.cluster.client();
  const patch = isDeployment
    ? deploymentPatch(info.object as unknown as Deployment, holder as ReplicaSet)
    : (holder as ControllerRevision).data;
  try {
    await client.patch(info.mapping, info.ref(), patch, {
      type: isDeployment ? "json" : "strategic",
      dryRun: dryRun === "server",
    });
  } catch (error) {
    throw new CommandError(`failed restoring revision ${to}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Annotations of a Deployment that a rollback doesn't copy. */
const keptAnnotations = new Set([
  lastAppliedAnnotation,
  revisionAnnotation,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deprecated.deployment.rollback.to",
]);

function deploymentPatch(deployment: Deployment, { metadata, spec }: ReplicaSet): unknown {
  const { [templateHashLabel]: _, ...labels } = spec?.template?.metadata?.labels ?? {};
  const kept = Object.entries(deployment.metadata?.annotations ?? {}).filter(([key]) =>
    keptAnnotations.has(key),
  );
  const own = Object.entries(metadata?.annotations ?? {}).filter(
    ([key]) => !keptAnnotations.has(key),
  );
  const template = { ...spec?.template, metadata: { ...spec?.template?.metadata, labels } };
  return [
    { op: "replace", path: "/spec/template", value: template },
    { op: "replace", path: "/metadata/annotations", value: Object.fromEntries([...kept, ...own]) },
  ];
}
