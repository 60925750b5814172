/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/rollout/rollout_status.go,
 * staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go.
 */
import type { DaemonSet, Deployment, StatefulSet } from "#/api/apps/v1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { untilObserved } from "../../resource/until.ts";
import { checkObjects, objectBuilder, objectFlags } from "./rollout-objects.ts";

const flags = {
  ...objectFlags,
  watch: {
    type: "bool",
    shorthand: "w",
    default: true,
    help: "Go on until the rollout is complete",
  },
  revision: { type: "int", help: "Stay with this revision. The default is 0, the latest one" },
  timeout: {
    type: "duration",
    help: "How long to watch, with a unit (1s, 2m, 3h). Zero means without limit",
  },
} satisfies FlagSet;

type StatusInvocation = Invocation<typeof flags>;

/** Limit of the duration of a watch (ms): that of Node's timers. */
const longMs = 2 ** 31 - 1;

/** `kubectl rollout status`. */
export const rolloutStatus = command({
  usage: "status (TYPE NAME | TYPE/NAME) [flags]",
  flags,
  completes: { of: "resources", types: ["deployment", "daemonset", "statefulset"], repeats: false },
  interruptedCode: 1,
  run,
});

async function run({ flags, args }: StatusInvocation, context: Context): Promise<void> {
  checkObjects(args, flags);
  if (flags.revision < 0) {
    throw new CommandError(`revision must be a positive integer: ${flags.revision}`);
  }
  const { builder, namespace } = await objectBuilder(args, flags, context);
  let hasFound = false;
  await builder.visit(async (info) => {
    hasFound = true;
    await follow(info, flags, context);
  });
  if (!hasFound) context.err.write(`No resources found in ${namespace} namespace.\n`);
}

async function follow(
  info: ResourceInfo,
  flags: StatusInvocation["flags"],
  context: Context,
): Promise<void> {
  const { group, kind } = info.mapping;
  const view = viewers[`${group}/${kind}`];
  if (!view) {
    const shown = group === "" ? kind : `${kind}.${group}`;
    throw new CommandError(`no status viewer has been implemented for ${shown}`);
  }
  let last: string | undefined;
  const observe = (object: Unstructured | undefined): true | undefined => {
    if (!object) {
      if (last === undefined) return undefined;
      throw new CommandError("object has been deleted");
    }
    const { resourceVersion } = object.metadata ?? {};
    if (resourceVersion !== undefined && resourceVersion === last) return undefined;
    last = resourceVersion ?? "";
    const { text, done } = view(object, flags.revision);
    context.out.write(text);
    return done || !flags.watch ? true : undefined;
  };
  await untilObserved(context, info, observe, flags.timeout === 0 ? longMs : flags.timeout);
}

interface RolloutState {
  readonly text: string;
  readonly done: boolean;
}

const waiting = (text: string): RolloutState => ({ text: `${text}...\n`, done: false });
const finished = (text: string): RolloutState => ({ text: `${text}\n`, done: true });

const viewers: Readonly<Record<string, (object: Unstructured, revision: number) => RolloutState>> =
  {
    "apps/Deployment": (object, revision) =>
      deploymentState(object as unknown as Deployment, revision),
    "apps/DaemonSet": (object) => daemonSetState(object as unknown as DaemonSet),
    "apps/StatefulSet": (object) => statefulSetState(object as unknown as StatefulSet),
  };

function deploymentState({ metadata, spec, status }: Deployment, revision: number): RolloutState {
  const name = goQuote(metadata?.name ?? "");
  if (revision > 0) {
    const current = Number(metadata?.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
    if (revision !== current) {
      throw new CommandError(
        `desired revision (${revision}) is different from the running revision (${current})`,
      );
    }
  }
  if ((metadata?.generation ?? 0) > (status?.observedGeneration ?? 0)) {
    return waiting("Waiting for deployment spec update to be observed");
  }
  const progress = status?.conditions?.find(({ type }) => type === "Progressing");
  if (progress?.reason === "ProgressDeadlineExceeded") {
    throw new CommandError(`deployment ${name} exceeded its progress deadline`);
  }
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status ?? {};
  const prefix = `Waiting for deployment ${name} rollout to finish:`;
  if (spec?.replicas !== undefined && updatedReplicas < spec.replicas) {
    return waiting(
      `${prefix} ${updatedReplicas} out of ${spec.replicas} new replicas have been updated`,
    );
  }
  if (replicas > updatedReplicas) {
    return waiting(`${prefix} ${replicas - updatedReplicas} old replicas are pending termination`);
  }
  if (availableReplicas < updatedReplicas) {
    return waiting(
      `${prefix} ${availableReplicas} of ${updatedReplicas} updated replicas are available`,
    );
  }
  return finished(`deployment ${name} successfully rolled out`);
}

const onlyRolling = "rollout status is only available for RollingUpdate strategy type";

function daemonSetState({ metadata, spec, status }: DaemonSet): RolloutState {
  if (spec?.updateStrategy?.type !== "RollingUpdate") throw new CommandError(onlyRolling);
  if ((metadata?.generation ?? 0) > (status?.observedGeneration ?? 0)) {
    return waiting("Waiting for daemon set spec update to be observed");
  }
  const name = goQuote(metadata?.name ?? "");
  const {
    updatedNumberScheduled = 0,
    desiredNumberScheduled = 0,
    numberAvailable = 0,
  } = status ?? {};
  const prefix = `Waiting for daemon set ${name} rollout to finish:`;
  if (updatedNumberScheduled < desiredNumberScheduled) {
    return waiting(
      `${prefix} ${updatedNumberScheduled} out of ${desiredNumberScheduled} new pods have been updated`,
    );
  }
  if (numberAvailable < desiredNumberScheduled) {
    return waiting(
      `${prefix} ${numberAvailable} of ${desiredNumberScheduled} updated pods are available`,
    );
  }
  return finished(`daemon set ${name} successfully rolled out`);
}

function statefulSetState({ metadata, spec, status }: StatefulSet): RolloutState {
  const strategy = spec?.updateStrategy;
  if (strategy?.type !== "RollingUpdate") throw new CommandError(onlyRolling);
  const {
    observedGeneration = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    currentReplicas = 0,
  } = status ?? {};
  if (observedGeneration === 0 || (metadata?.generation ?? 0) > observedGeneration) {
    return waiting("Waiting for statefulset spec update to be observed");
  }
  const wanted = spec?.replicas;
  if (wanted !== undefined && readyReplicas < wanted) {
    return waiting(`Waiting for ${wanted - readyReplicas} pods to be ready`);
  }
  if (strategy.rollingUpdate) {
    const { partition } = strategy.rollingUpdate;
    if (wanted !== undefined && partition !== undefined && updatedReplicas < wanted - partition) {
      return waiting(
        `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${wanted - partition} new pods have been updated`,
      );
    }
    return finished(
      `partitioned roll out complete: ${updatedReplicas} new pods have been updated...`,
    );
  }
  const { updateRevision = "", currentRevision = "" } = status ?? {};
  if (updateRevision !== currentRevision) {
    return waiting(
      `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}`,
    );
  }
  return finished(
    `statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...`,
  );
}
