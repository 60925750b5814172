import type { Node, ResourceList } from "#/api/core/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  internalError,
  invalid,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { parseCidrSloppy, validateLegacyCidr } from "#/machinery/meta/ip-rules.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded, RequestContext } from "../../../registry/strategy.ts";
import { validateClusterMeta, validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { validateAmount } from "../../rules/quantity-rules.ts";
import { validateDeclaredFeatures } from "./declared-features.ts";
import { validateConfigSource, validateConfigStatus } from "./node-config.ts";
import { validatePreemptionPolicy } from "./preemption-policy.ts";
import { validateNodeAnnotations, validateTaints } from "./taints.ts";

/**
 * Upstream: pkg/apis/core/validation/validation.go (ValidateNode, ValidateNodeUpdate).
 */
const metadataPath = fieldPath("metadata");

/** Validation errors of a node. */
export function validateNode(node: Decoded<Node>, context: RequestContext): FieldError[] {
  const { metadata, spec, status } = node;
  const errors = validateClusterMeta(metadata, nameIsDNSSubdomain);
  append(errors, validateNodeAnnotations(metadata.annotations ?? {}));
  append(errors, validateTaints(spec.taints ?? [], metadataPath.child("taints")));
  append(errors, validateResources(node));
  const swap = status?.nodeInfo?.swap?.capacity;
  if (swap !== undefined && swap <= 0) {
    const path = metadataPath.child("nodeSwapStatus").child("capacity");
    errors.push(invalid(path, swap, "must be greater than zero"));
  }
  append(errors, validateDeclaredFeatures(status?.declaredFeatures ?? []));
  append(errors, validatePodCidrs(spec.podCIDRs ?? []));
  append(errors, validatePreemptionPolicy(spec.podPreemptionPolicy, context));
  return errors;
}

/** Validation errors of an update of a node or of its status. */
export function validateNodeUpdate(node: Decoded<Node>, old: Decoded<Node>): FieldError[] {
  const { metadata, spec, status } = node;
  const errors = validateMetaUpdate(metadata, old.metadata);
  append(errors, validateNodeAnnotations(metadata.annotations ?? {}));
  append(errors, validateResources(node));
  append(errors, validateDeclaredFeatures(status?.declaredFeatures ?? []));
  append(errors, validateAddresses(node));
  append(errors, validateSamePodCidrs(spec.podCIDRs ?? [], old.spec.podCIDRs ?? []));
  append(errors, validateProvider(spec.providerID ?? "", old.spec.providerID ?? ""));
  if (spec.configSource) {
    append(errors, validateConfigSource(spec.configSource, fieldPath("spec", "configSource")));
  }
  if (status?.config) append(errors, validateConfigStatus(status.config));
  append(errors, validateTaints(spec.taints ?? [], metadataPath.child("taints")));
  if ((spec.externalID ?? "") !== (old.spec.externalID ?? "")) {
    errors.push(forbidden(fieldPath("spec", "externalID"), "may not be updated"));
  }
  return errors;
}

function validateResources({ status }: Node): FieldError[] {
  const check = (field: string, amounts: ResourceList | undefined): FieldError[] =>
    Object.entries(amounts ?? {}).flatMap(([name, amount]) =>
      validateAmount(name, amount, fieldPath("status", field, name)),
    );
  return [...check("capacity", status?.capacity), ...check("allocatable", status?.allocatable)];
}

function validatePodCidrs(cidrs: readonly string[]): FieldError[] {
  const path = fieldPath("spec", "podCIDRs");
  const errors = cidrs.flatMap((cidr, index) => validateLegacyCidr(path.index(index), cidr));
  if (cidrs.length < 2) return errors;
  const families = cidrs.map((cidr) => parseCidrSloppy(cidr)?.ip.family);
  const unknown = families.indexOf(undefined);
  if (unknown >= 0) {
    const cause = `invalid CIDR[${unknown}]: <nil> (invalid CIDR address: ${cidrs[unknown]})`;
    const text = `invalid PodCIDRs. failed to check with dual stack with error:${cause}`;
    errors.push(internalError(path, new Error(text)));
  }
  if (unknown >= 0 || new Set(families).size < 2 || cidrs.length > 2) {
    errors.push(invalid(path, cidrs, "may specify no more than one CIDR for each IP family"));
  }
  return errors;
}

function validateSamePodCidrs(cidrs: readonly string[], old: readonly string[]): FieldError[] {
  if (old.length === 0) return [];
  const detail = 'node updates may not change podCIDR except from "" to valid';
  const error = forbidden(fieldPath("spec", "podCIDRs"), detail);
  if (old.length !== cidrs.length) return [error];
  return old.filter((cidr, index) => cidr !== cidrs[index]).map(() => error);
}

function validateAddresses({ status }: Node): FieldError[] {
  const seen = new Set<string>();
  return (status?.addresses ?? []).flatMap(({ type, address }, index) => {
    const key = `${type} ${address}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    // Upstream shows its internal type, whose fields have no JSON names.
    const shown = { Type: type, Address: address };
    return [duplicate(fieldPath("status", "addresses").index(index), shown)];
  });
}

function validateProvider(id: string, old: string): FieldError[] {
  if (old === "" || id === old) return [];
  const detail =
    id === "" ? "field cannot be cleared once set" : "field cannot be modified once set";
  return [invalid(fieldPath("spec", "providerID"), null, detail)];
}
