import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PluginServices } from "../../base/admission-plugin.ts";
import { findObject } from "../../base/find-object.ts";
import { forbid } from "../../base/forbid.ts";
import { findApiReference } from "./find-api-reference.ts";
import type { NodeRequest } from "./node-restriction.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/** A node may create mirror pods of its static pods, and delete its pods. */
export function admitPod(request: NodeRequest, { registry }: PluginServices): void {
  const { operation, nodeName } = request;
  if (operation === "CREATE") {
    admitMirror(request, registry);
    return;
  }
  if (operation === "DELETE") {
    if (podOf(request, request.name, registry).spec.nodeName === nodeName) return;
    throw forbid(
      request,
      `node ${goQuote(nodeName)} can only delete pods with spec.nodeName set to itself`,
    );
  }
  throw forbid(
    request,
    `unexpected operation ${goQuote(operation)}, node ${goQuote(nodeName)} can only create and delete mirror pods`,
  );
}

function admitMirror(request: NodeRequest, registry: Registry): void {
  const { nodeName } = request;
  const node = goQuote(nodeName);
  const { metadata, spec } = request.object as Decoded<Pod>;
  if (metadata.annotations?.[mirrorAnnotation] === undefined) {
    throw forbid(
      request,
      `pod does not have ${goQuote(mirrorAnnotation)} annotation, node ${node} can only create mirror pods`,
    );
  }
  if (spec.nodeName !== nodeName) {
    throw forbid(request, `node ${node} can only create pods with spec.nodeName set to itself`);
  }
  checkOwner(request, registry);
  const reference = findApiReference(spec);
  if (reference === undefined) return;
  throw forbid(
    request,
    reference.error === undefined
      ? `node ${node} can not create pods that reference ${reference.resource}`
      : `error checking mirror pod for API references: ${reference.error}`,
  );
}

function checkOwner(request: NodeRequest, registry: Registry): void {
  const { nodeName } = request;
  const node = goQuote(nodeName);
  const [owner, ...others] = request.object.metadata.ownerReferences ?? [];
  if (others.length > 0) {
    throw forbid(
      request,
      `node ${node} can only create pods with a single owner reference set to itself`,
    );
  }
  const isNode = owner?.apiVersion === "v1" && owner.kind === "Node" && owner.name === nodeName;
  if (!owner || !isNode) {
    throw forbid(
      request,
      `node ${node} can only create pods with an owner reference set to itself`,
    );
  }
  if (!owner.controller) {
    throw forbid(
      request,
      `node ${node} can only create pods with a controller owner reference set to itself`,
    );
  }
  if (owner.blockOwnerDeletion) {
    throw forbid(request, `node ${node} must not set blockOwnerDeletion on an owner reference`);
  }
  const found = findObject(registry, nodes, "", nodeName);
  if (!found) throw notFound({ group: "", name: "node" }, nodeName);
  if (owner.uid === found.metadata.uid) return;
  const uids = `expected ${owner.uid} got ${found.metadata.uid}`;
  throw forbid(request, `node ${nodeName} UID mismatch: ${uids}`);
}

/** A node may write the status of its pods, except fields that others decide. */
export function admitPodStatus(request: NodeRequest): void {
  const { operation, nodeName } = request;
  if (operation !== "UPDATE") throw forbid(request, `unexpected operation ${goQuote(operation)}`);
  const pod = request.object as Decoded<Pod>;
  const old = request.oldObject as Decoded<Pod>;
  const node = goQuote(nodeName);
  if (old.spec.nodeName !== nodeName) {
    throw forbid(
      request,
      `node ${node} can only update pod status for pods with spec.nodeName set to itself`,
    );
  }
  if (!deepEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {})) {
    throw forbid(request, `node ${node} cannot update labels through pod status`);
  }
  const differs = (field: keyof NonNullable<Pod["status"]>): boolean =>
    !deepEqual(pod.status?.[field] ?? [], old.status?.[field] ?? []);
  if (differs("resourceClaimStatuses")) {
    throw forbid(request, `node ${node} cannot update resource claim statues`);
  }
  if (differs("extendedResourceClaimStatus")) {
    throw forbid(request, `node ${node} cannot update extended resource claim status`);
  }
  if (differs("nodeAllocatableResourceClaimStatuses")) {
    throw forbid(request, `node ${node} cannot update node allocatable resource claim statuses`);
  }
}

/** A node may evict its own pods only. */
export function admitPodEviction(request: NodeRequest, { registry }: PluginServices): void {
  const { operation, nodeName, name, object } = request;
  if (operation !== "CREATE") throw forbid(request, `unexpected operation ${operation}`);
  const podName = name || object.metadata.name;
  if (!podName) throw forbid(request, "could not determine pod from request data");
  if (podOf(request, podName, registry).spec.nodeName === nodeName) return;
  throw forbid(request, `node ${nodeName} can only evict pods with spec.nodeName set to itself`);
}

/** A pod of the request's namespace; throws 404 as the lister upstream does. */
export function podOf({ namespace }: NodeRequest, name: string, registry: Registry): Decoded<Pod> {
  const found = findObject(registry, pods, namespace, name);
  if (!found) throw notFound({ group: "", name: "pod" }, name);
  return found;
}
