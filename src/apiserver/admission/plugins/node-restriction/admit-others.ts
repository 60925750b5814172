import type { PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { ResourceSlice } from "#/api/resource/v1.ts";
import type { CSINode } from "#/api/storage/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { ApiObject, Decoded } from "../../../registry/strategy.ts";
import { coreInternalDiff } from "../../../resources/rules/internal-form.ts";
import type { PluginServices } from "../../base/admission-plugin.ts";
import { forbid } from "../../base/forbid.ts";
import type { NodeRequest } from "./node-restriction.ts";

const leaseNamespace = "kube-node-lease";

/** A node may only write the size of a claim's volume. */
export function admitClaimStatus(request: NodeRequest): void {
  const { subresource, operation, nodeName } = request;
  if (subresource !== "status") throw forbid(request, "may only update PVC status");
  if (operation !== "UPDATE") throw forbid(request, `unexpected operation ${goQuote(operation)}`);
  const claim = withoutSize(request.object);
  const old = withoutSize(request.oldObject);
  if (deepEqual(claim, old)) return;
  const diff = coreInternalDiff("PersistentVolumeClaim", old, claim);
  throw forbid(
    request,
    `node ${goQuote(nodeName)} is not allowed to update fields other than status.quantity and status.conditions: ${diff}`,
  );
}

function withoutSize(object: ApiObject | undefined): PersistentVolumeClaim {
  const claim = deepCopy(object) as Decoded<PersistentVolumeClaim>;
  delete claim.metadata.resourceVersion;
  delete claim.metadata.managedFields;
  claim.status ??= {};
  delete claim.status.capacity;
  delete claim.status.conditions;
  delete claim.status.allocatedResourceStatuses;
  delete claim.status.allocatedResources;
  return claim;
}

/** A node has one lease, of its own name. */
export function admitLease(request: NodeRequest): void {
  if (request.namespace !== leaseNamespace) {
    throw forbid(
      request,
      `can only access leases in the ${goQuote(leaseNamespace)} system namespace`,
    );
  }
  if (nameOf(request) === request.nodeName) return;
  throw forbid(request, "can only access node lease with the same name as the requesting node");
}

/** A node has one CSINode, of its own name. */
export function admitCSINode(request: NodeRequest, { enabled }: PluginServices): void {
  if (nameOf(request) !== request.nodeName) {
    throw forbid(request, "can only access CSINode with the same name as the requesting node");
  }
  if (request.subresource !== "status") return;
  if (!enabled("CSIVolumeHealth")) {
    throw forbid(request, "CSIVolumeHealth feature gate is disabled");
  }
  if (request.operation !== "UPDATE") {
    throw forbid(request, `unexpected operation ${goQuote(request.operation)}`);
  }
  const { spec } = request.object as Decoded<CSINode>;
  if (deepEqual(spec, (request.oldObject as Decoded<CSINode>).spec)) return;
  const node = goQuote(request.nodeName);
  throw forbid(request, `node ${node} is not allowed to modify CSINode spec via status`);
}

const nameOf = ({ operation, name, object }: NodeRequest): string =>
  operation === "CREATE" ? (object.metadata.name ?? "") : name;

/** A node may publish only its own devices. */
export function admitResourceSlice(request: NodeRequest): void {
  const { operation, nodeName } = request;
  if (operation === "UPDATE") return;
  const slice = (operation === "CREATE" ? request.object : request.oldObject) as
    | Decoded<ResourceSlice>
    | undefined;
  if (slice?.spec.nodeName === nodeName) return;
  const verb = operation === "CREATE" ? "create" : "delete";
  throw forbid(
    request,
    `can only ${verb} ResourceSlice with the same NodeName as the requesting node`,
  );
}
