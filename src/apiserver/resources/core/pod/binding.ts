import { type Binding, bindings, type Pod, pods } from "#/api/core/v1.ts";
import { type FieldError, formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import {
  badRequest,
  conflict,
  internalError,
  isStatusError,
} from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { registryPrefix } from "../../../registry/feed.ts";
import { failedPrecondition } from "../../../registry/object-version.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import type { Result } from "../../../registry/result.ts";
import type {
  ActionStrategy,
  ApiObject,
  Declaration,
  Decoded,
} from "../../../registry/strategy.ts";
import { serve } from "../../../registry/strategy.ts";
import { actionDone, admitAction, readActionBody } from "../../../verbs/action-body.ts";
import { parseWriteOptions } from "../../../verbs/options.ts";
import { contextOf } from "../../../verbs/write-request.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { dropInitAnnotations } from "../pod-spec/drop-disabled-fields.ts";
import { setPodCondition } from "./pod-condition.ts";

/**
 * Binding a Pod to a node: the last step of the scheduler.
 *
 * Upstream: pkg/registry/core/pod/storage/storage.go.
 */

const kind = { group: "", version: "v1", kind: "Binding" };

/** pods/binding. */
export const bindingAction: ActionStrategy = { create: bind };

/** The older form: a Binding object that is posted by itself and names its Pod. */
export const binding: Declaration = serve(bindings, { verbs: { create: bind } });

/** Binding changes a Pod without the hooks of a Pod update. */
const rawPods: Declaration = serve(pods);

async function bind(request: ResourceRequest): Promise<Result> {
  const options = parseWriteOptions(request.exchange.query, "CreateOptions");
  const object = await readActionBody<Binding>(request, kind, options);
  const validate = await admitAction(request, kind, object, options);
  const { name = "" } = object.metadata;
  const urlName = request.exchange.info.name;
  if (urlName !== "" && urlName !== name) {
    throw badRequest("name in URL does not match name in Binding object");
  }
  const errors = validateBinding(object);
  // Upstream returns no Status for these errors, so they become internal errors.
  if (errors.length > 0) throw unwrapped(formatFieldErrors(errors));
  await validate();
  const context = contextOf(request, options.dryRun);
  try {
    await request.services.store(pods).update(
      {
        name,
        hooks: rawPods,
        transform: (old) => assign(old as Decoded<Pod>, object, request),
        validateCreate: () => undefined,
        validateUpdate: () => undefined,
      },
      context,
    );
  } catch (error) {
    if (!(error instanceof BindingRefused)) throw error;
    throw conflict({ group: "", name: "pods/binding" }, name, error.message);
  }
  return actionDone;
}

/** The Pod cannot be bound now. */
class BindingRefused extends Error {
  override readonly name = "BindingRefused";
}

function unwrapped(message: string): Error {
  const error = internalError(new Error(message));
  if (isStatusError(error)) {
    error.status.message = message;
    delete error.status.reason;
    delete error.status.details;
  }
  return error;
}

/** Validation errors of a binding. */
function validateBinding({ target }: Binding): FieldError[] {
  const report = new FieldReport();
  const path = fieldPath("target");
  const { kind: targetKind = "", name = "" } = target ?? {};
  const isNode = targetKind === "" || targetKind === "Node";
  if (!isNode) report.notSupportedText(path, "kind", targetKind, ["Node", "<empty>"]);
  if (name === "") report.required(path, "name");
  else if (isNode) report.problems(path, "name", name, nameIsDNSSubdomain(name, false));
  return report.errors;
}

/** The Pod with its node; throws if it is already bound or has scheduling gates. */
function assign(
  old: Decoded<Pod>,
  { metadata, target }: Decoded<Binding>,
  { services }: ResourceRequest,
): ApiObject {
  checkPreconditions(old, metadata);
  const pod = deepCopy(old);
  const { name } = pod.metadata;
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw new BindingRefused(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (pod.spec.nodeName) {
    const node = goQuote(pod.spec.nodeName);
    throw new BindingRefused(`pod ${name} is already assigned to node ${node}`);
  }
  if (pod.spec.schedulingGates?.length) {
    throw new BindingRefused(`pod ${name} has non-empty .spec.schedulingGates`);
  }
  pod.spec.nodeName = target.name ?? "";
  pod.status ??= {};
  if (services.enabled("ClearingNominatedNodeNameAfterBinding")) {
    delete pod.status.nominatedNodeName;
  }
  if (metadata.annotations) {
    pod.metadata.annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  }
  dropInitAnnotations(pod.metadata);
  if (metadata.labels && services.enabled("PodTopologyLabelsAdmission")) {
    pod.metadata.labels = { ...pod.metadata.labels, ...metadata.labels };
  }
  setPodCondition(pod.status, { type: "PodScheduled", status: "True" }, services.clock.now());
  delete pod.metadata.resourceVersion;
  return pod;
}

/** The binding may name the UID and resourceVersion of its Pod as preconditions. */
function checkPreconditions(
  { metadata: pod }: Decoded<Pod>,
  requested: Decoded<Binding>["metadata"],
): void {
  const { name = "", namespace = "" } = pod;
  const check = (what: "UID" | "ResourceVersion", field: "uid" | "resourceVersion"): void => {
    const precondition = { wanted: requested[field] ?? "", actual: pod[field] };
    if (!precondition.wanted || precondition.wanted === precondition.actual) return;
    const key = `${registryPrefix}pods/${namespace}/${name}`;
    throw conflict(pods, name, failedPrecondition(key, what, precondition));
  };
  check("UID", "uid");
  check("ResourceVersion", "resourceVersion");
}
