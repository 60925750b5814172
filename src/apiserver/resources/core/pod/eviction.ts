import { type Pod, pods } from "#/api/core/v1.ts";
import { type Eviction, type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { invalid as invalidField } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { SelectorError } from "#/machinery/meta/labels.ts";
import {
  badRequest,
  conflict,
  invalid,
  isConflict,
  statusWithoutReason,
  timeout,
} from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { goValue } from "#/machinery/patch/values/go-value.ts";
import type { DeleteOptions } from "../../../registry/deletion.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import type { Result } from "../../../registry/result.ts";
import type { Store } from "../../../registry/store.ts";
import type {
  ActionStrategy,
  ApiObject,
  Decoded,
  RequestContext,
} from "../../../registry/strategy.ts";
import { viewDeclaration } from "../../../registry/view.ts";
import { actionDone, admitAction, readActionBody } from "../../../verbs/action-body.ts";
import { trackManagers } from "../../../verbs/field-managers.ts";
import { checkDeleteOptions, parseWriteOptions } from "../../../verbs/options.ts";
import { contextOf } from "../../../verbs/write-request.ts";
import { budgetInProgress, takeDisruption } from "./disruption-budget.ts";
import { setPodCondition } from "./pod-condition.ts";

/**
 * Evicts a Pod: deletes it if its disruption budget allows it.
 *
 * Upstream: pkg/registry/core/pod/storage/eviction.go.
 */

const kind = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  alsoAccepted: ["policy/v1beta1"],
};

/** pods/eviction. */
export const evictionAction: ActionStrategy = { create: evict };

/** Limit of attempts of an eviction when concurrent writes conflict. */
const maxAttempts = 20;

async function evict(request: ResourceRequest): Promise<Result> {
  const { exchange } = request;
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const eviction = await readActionBody<Eviction>(request, kind, options);
  const validate = await admitAction(request, kind, eviction, options);
  const { name } = exchange.info;
  if (eviction.metadata.name !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const deleteOptions = readDeleteOptions(eviction, options.dryRun);
  await validate();
  const dryRun = (deleteOptions.dryRun?.length ?? 0) > 0;
  const step = { request, name, deleteOptions, context: contextOf(request, dryRun) };
  const pod = await deleteUnguarded(step);
  return pod === undefined ? actionDone : deleteGuarded(step, pod);
}

/** State of one eviction. */
interface Step {
  readonly request: ResourceRequest;
  readonly name: string;
  readonly deleteOptions: DeleteOptions;
  readonly context: RequestContext;
}

function readDeleteOptions(
  { metadata, deleteOptions }: Decoded<Eviction>,
  dryRun: boolean,
): DeleteOptions {
  const given = (deleteOptions ?? {}) as DeleteOptions & {
    ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  };
  if (given.ignoreStoreReadErrorWithClusterBreakingPotential) {
    const path = fieldPath("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential");
    const detail = "can not be set for pod eviction, try after removing the option";
    throw invalid(kind, metadata.name ?? "", [invalidField(path, true, detail)]);
  }
  const requested = given.dryRun ?? [];
  if (dryRun && requested.some((value) => value !== "All")) {
    const options = `${goValue(["All"])} and ${goValue(requested)}`;
    throw statusWithoutReason(`Non-matching dry-run options in request and content: ${options}`);
  }
  return dryRun ? { ...given, dryRun: ["All"] } : given;
}

/** Deletes a Pod that needs no budget: it has ended, never ran, or is being deleted. Else returns the Pod. */
async function deleteUnguarded(step: Step): Promise<Decoded<Pod> | undefined> {
  const { deleteOptions } = step;
  for (let attempt = 1; ; attempt++) {
    const stored = await podStore(step).get(step.context.namespace, step.name);
    const object = stored.parsed();
    const pod = object as Decoded<Pod>;
    const { phase } = pod.status ?? {};
    const ended =
      phase === "Succeeded" || phase === "Failed" || pod.metadata.deletionTimestamp !== undefined;
    if (!ended && phase !== "Pending") return pod;
    const unset = deleteOptions.preconditions?.resourceVersion === undefined;
    try {
      const options = ended || !unset ? deleteOptions : atVersion(deleteOptions, pod);
      await markAndDelete({ ...step, deleteOptions: options });
      return undefined;
    } catch (error) {
      if (!isConflict(error) || !unset || attempt === maxAttempts) throw error;
    }
  }
}

const podStore = ({ request }: Step): Store => request.services.store(pods);

function atVersion(options: DeleteOptions, { metadata }: ApiObject): DeleteOptions {
  const { resourceVersion = "" } = metadata;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

/** Deletes a running Pod if its budget, if any, allows it. */
async function deleteGuarded(step: Step, pod: Decoded<Pod>): Promise<Result> {
  const budgets = await findBudgets(step, pod);
  const [budget] = budgets;
  if (budgets.length > 1) {
    const message =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
    const value = { ...status, message, code: 500 };
    return { type: "value", status: 500, value };
  }
  const free = budget !== undefined && isBeyondBudget(pod, budget);
  if (budget !== undefined && !free) await decrement(step, budget, pod);
  const deleteOptions = free ? atVersion(step.deleteOptions, pod) : step.deleteOptions;
  try {
    await markAndDelete({ ...step, deleteOptions });
  } catch (error) {
    const unset = step.deleteOptions.preconditions?.resourceVersion === undefined;
    if (isConflict(error) && free && unset) throw budgetInProgress(budget);
    throw error;
  }
  return actionDone;
}

/** The budgets that select a Pod; more than one is an error. */
async function findBudgets(
  step: Step,
  { metadata }: Decoded<Pod>,
): Promise<Decoded<PodDisruptionBudget>[]> {
  const store = step.request.services.store(podDisruptionBudgets);
  await store.freshen();
  const prefix = `${metadata.namespace}/`;
  const found: Decoded<PodDisruptionBudget>[] = [];
  for (const [key, stored] of store.cache.snapshot().items.entries(prefix)) {
    if (!key.startsWith(prefix)) break;
    const budget = stored.parsed() as Decoded<PodDisruptionBudget>;
    if (selects(budget, metadata.labels)) found.push(budget);
  }
  return found;
}

function selects(
  { spec }: PodDisruptionBudget,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  try {
    return compileLabelSelector(spec?.selector).matches(labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** A Pod that is not ready may be evicted if the budget's policy allows it, or if enough other Pods are healthy. */
function isBeyondBudget(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (hasCondition(pod.status?.conditions, "Ready")) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Takes one disruption from the budget, with retries on conflicts: the server itself writes the status. */
async function decrement(
  step: Step,
  budget: Decoded<PodDisruptionBudget>,
  pod: Decoded<Pod>,
): Promise<void> {
  const { services } = step.request;
  const { name = "", namespace = "" } = budget.metadata;
  const target = services.resource(podDisruptionBudgets);
  const now = services.clock.now();
  const podName = pod.metadata.name ?? "";
  const transform = (old: ApiObject = budget): ApiObject => {
    const next = deepCopy(old) as Decoded<PodDisruptionBudget>;
    takeDisruption(next, { podName, now });
    trackManagers(target, old, next, { manager: "kube-apiserver", subresource: "status", now });
    return next;
  };
  if (step.context.dryRun) {
    transform();
    return;
  }
  const { declaration, store } = target.resource;
  const { status = true } = declaration;
  const hooks = viewDeclaration(declaration, status === true ? {} : status);
  const accept = (): void => undefined;
  const update = { name, hooks, transform, validateCreate: accept, validateUpdate: accept };
  try {
    await store.update(update, { ...step.context, namespace, subresource: "status" });
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw timeout(`couldn't update PodDisruptionBudget "${name}" due to conflicts`, 10);
  }
}

/** Sets the disruption condition of the Pod, then deletes it. */
async function markAndDelete({ request, name, deleteOptions, context }: Step): Promise<void> {
  const store = request.services.store(pods);
  const accept = (): void => undefined;
  let options = deleteOptions;
  if (!context.dryRun) {
    const { object } = await store.update(
      {
        name,
        hooks: {
          ...store.declaration,
          prepareForUpdate: () => undefined,
          validateUpdate: () => [],
        },
        transform: (old) => markEvicted(old as Decoded<Pod>, deleteOptions, context.now),
        validateCreate: accept,
        validateUpdate: accept,
      },
      context,
    );
    if (deleteOptions.preconditions?.resourceVersion !== undefined) {
      options = atVersion(deleteOptions, object.parsed());
    }
  }
  checkDeleteOptions(options, false);
  await store.delete(name, options, accept, context);
}

function markEvicted(old: Decoded<Pod>, { preconditions }: DeleteOptions, now: number): ApiObject {
  const pod = deepCopy(old);
  const { name = "", uid = "", resourceVersion = "" } = pod.metadata;
  const podKind = { group: "", name: pods.kind };
  if (preconditions?.uid && preconditions.uid !== uid) {
    const detail = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(podKind, name, detail);
  }
  if (preconditions?.resourceVersion && preconditions.resourceVersion !== resourceVersion) {
    const detail = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(podKind, name, detail);
  }
  pod.status ??= {};
  setPodCondition(
    pod.status,
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    },
    now,
  );
  return pod;
}
